// SPDX-License-Identifier: MIT

#include "calls.h"

#include <stdio.h>
#include <stdlib.h>

static SecretService *service;

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
