// SPDX-License-Identifier: MIT

#include "calls.h"

#include <stdio.h>
#include <stdlib.h>

static SecretService *service;

// The attributes are as the library stores them; its schema's name is stored and not searched by.
static const SecretSchema schema = {
    "org.secretstorecache.Item",
    SECRET_SCHEMA_DONT_MATCH_NAME,
    {
        {"kind", SECRET_SCHEMA_ATTRIBUTE_STRING},
        {"publisher", SECRET_SCHEMA_ATTRIBUTE_STRING},
        {"group", SECRET_SCHEMA_ATTRIBUTE_STRING},
        {"home_account_id", SECRET_SCHEMA_ATTRIBUTE_STRING},
        {"environment", SECRET_SCHEMA_ATTRIBUTE_STRING},
        {"client_id", SECRET_SCHEMA_ATTRIBUTE_STRING},
        {"family_id", SECRET_SCHEMA_ATTRIBUTE_STRING},
        {"key", SECRET_SCHEMA_ATTRIBUTE_STRING},
    }};

void die(const char *what, GError *error) {
  fprintf(stderr, "floor: %s%s%s\n", what, error ? ": " : "", error ? error->message : "");
  exit(1);
}

void connect_to_service(void) {
  GError *error = NULL;
  service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
  if (!service) die("no Secret Service", error);
}

char **search_items(GHashTable *wanted) {
  GError *error = NULL;
  char **unlocked = NULL;
  char **locked = NULL;
  if (!secret_service_search_for_dbus_paths_sync(service, NULL, wanted, NULL, &unlocked, &locked, &error))
    die("SearchItems", error);
  g_strfreev(locked);
  return unlocked;
}

GHashTable *get_secrets(char **wanted) {
  GError *error = NULL;
  GHashTable *secrets =
      secret_service_get_secrets_for_dbus_paths_sync(service, (const gchar **)wanted, NULL, &error);
  if (!secrets) die("GetSecrets", error);
  if (g_hash_table_size(secrets) != g_strv_length(wanted)) die("secrets are missing", NULL);
  return secrets;
}

static GVariant *call(const char *path, const char *interface, const char *method, GVariant *arguments) {
  GError *error = NULL;
  GDBusConnection *bus = g_dbus_proxy_get_connection(G_DBUS_PROXY(service));
  GVariant *reply = g_dbus_connection_call_sync(
      bus, "org.freedesktop.secrets", path, interface, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, G_MAXINT,
      NULL, &error);
  if (!reply) die(method, error);
  return reply;
}

void set_secret(const char *path, SecretValue *secret) {
  GVariant *encoded = secret_service_encode_dbus_secret(service, secret);
  g_variant_unref(
      call(path, "org.freedesktop.Secret.Item", "SetSecret", g_variant_new("(@(oayays))", encoded)));
}

void delete_item(const char *path) {
  g_variant_unref(call(path, "org.freedesktop.Secret.Item", "Delete", NULL));
}

char *create_item(const char *collection, GHashTable *wanted, SecretValue *secret) {
  GVariantBuilder strings;
  GVariantBuilder properties;
  GHashTableIter iterator;
  gpointer name, value;
  g_variant_builder_init(&strings, G_VARIANT_TYPE("a{ss}"));
  g_hash_table_iter_init(&iterator, wanted);
  while (g_hash_table_iter_next(&iterator, &name, &value))
    g_variant_builder_add(&strings, "{ss}", (char *)name, (char *)value);
  g_variant_builder_add(&strings, "{ss}", "xdg:schema", "org.secretstorecache.Item");
  g_variant_builder_init(&properties, G_VARIANT_TYPE("a{sv}"));
  g_variant_builder_add(
      &properties, "{sv}", "org.freedesktop.Secret.Item.Label",
      g_variant_new_printf("Sign-in for %s", (char *)g_hash_table_lookup(wanted, "client_id")));
  g_variant_builder_add(
      &properties, "{sv}", "org.freedesktop.Secret.Item.Attributes", g_variant_builder_end(&strings));
  GVariant *encoded = secret_service_encode_dbus_secret(service, secret);
  GVariant *reply =
      call(collection, "org.freedesktop.Secret.Collection", "CreateItem",
           g_variant_new("(@a{sv}@(oayays)b)", g_variant_builder_end(&properties), encoded, TRUE));
  char *path = NULL;
  g_variant_get(reply, "(oo)", &path, NULL);
  g_variant_unref(reply);
  return path;
}

SecretValue *look_up_password(GHashTable *attributes) {
  GError *error = NULL;
  SecretValue *value = secret_service_lookup_sync(service, &schema, attributes, NULL, &error);
  if (!value) die("secret_service_lookup", error);
  return value;
}

GList *search_objects(GHashTable *attributes) {
  GError *error = NULL;
  SecretSearchFlags flags = SECRET_SEARCH_ALL | SECRET_SEARCH_LOAD_SECRETS;
  GList *found = secret_service_search_sync(service, &schema, attributes, flags, NULL, &error);
  if (!found) die("secret_service_search", error);
  return found;
}

void store_object(const char *collection, GHashTable *attributes, SecretValue *secret) {
  GError *error = NULL;
  if (!secret_service_store_sync(service, &schema, attributes, collection, "Sign-in", secret, NULL, &error))
    die("secret_service_store", error);
}
