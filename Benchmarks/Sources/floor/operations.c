// SPDX-License-Identifier: MIT

#include "operations.h"

#include <string.h>

#include "calls.h"

#define INDEX_ENTRY 450  // bytes of an account's entry

GHashTable *attributes[MAXIMUM_ITEMS];
int items;

static char *paths[MAXIMUM_ITEMS];
static SecretValue *secret;  // of the first item

// MARK: What comes before

static void find_items(void) {
  for (int index = 0; index < items; index++) {
    char **found = search_items(attributes[index]);
    if (!found || g_strv_length(found) != 1) die("there is not exactly one item with the attributes", NULL);
    paths[index] = g_strdup(found[0]);
    g_strfreev(found);
  }
}

static void keep_secret(void) {
  char *wanted[] = {paths[0], NULL};
  GHashTable *secrets = get_secrets(wanted);
  secret = secret_value_ref(g_hash_table_lookup(secrets, paths[0]));
  g_hash_table_unref(secrets);
}

// MARK: The operations

static void look_up(void) {
  char **found = search_items(attributes[0]);
  if (!found || !found[0]) die("nothing found", NULL);
  g_hash_table_unref(get_secrets(found));
  g_strfreev(found);
}

static void read_item(void) {
  char *wanted[] = {paths[0], NULL};
  g_hash_table_unref(get_secrets(wanted));
}

static void save(void) {
  for (int index = 0; index < items; index++) {
    char *wanted[] = {paths[index], NULL};
    GHashTable *secrets = get_secrets(wanted);
    set_secret(paths[index], g_hash_table_lookup(secrets, paths[index]));
    g_strfreev(search_items(attributes[index]));
    g_hash_table_unref(secrets);
  }
}

static void set_only(void) { set_secret(paths[0], secret); }

static void delete_first(void) { delete_item(paths[0]); }

static void create_only(void) {
  char *collection = g_path_get_dirname(paths[0]);
  g_free(paths[0]);
  paths[0] = create_item(collection, attributes[0], secret);
  g_free(collection);
}

static void create_new(void) {
  static int number;
  char *account = g_strdup_printf("%08d-0000-4000-8000-000000000000.%s", ++number, "00000000-0000-4000-8000-000000000000");
  g_hash_table_insert(attributes[0], g_strdup("home_account_id"), account);
  char *collection = g_path_get_dirname(paths[0]);
  g_free(create_item(collection, attributes[0], secret));
  g_free(collection);
}

static void create(void) {
  g_strfreev(search_items(attributes[0]));
  char **marker = search_items(attributes[1]);
  if (!marker || !marker[0]) die("nothing found", NULL);
  g_hash_table_unref(get_secrets(marker));
  g_strfreev(marker);
  create_only();
}

static void simple_look_up(void) { secret_value_unref(look_up_password(attributes[0])); }

static void object_look_up(void) { g_list_free_full(search_objects(attributes[0]), g_object_unref); }

static void object_save(void) {
  char *collection = g_path_get_dirname(paths[0]);
  store_object(collection, attributes[0], secret);
  g_free(collection);
}

static void find_first(void) {
  char **found = search_items(attributes[0]);
  if (!found || !found[0]) die("nothing found", NULL);
  g_free(paths[0]);
  paths[0] = g_strdup(found[0]);
  g_strfreev(found);
}

static void find_and_delete_first(void) {
  find_first();
  delete_first();
}

// Turns the first item into the index of as many accounts as have items with its attributes, until the end.
static void make_index(void) {
  char **found = search_items(attributes[0]);
  size_t size = g_strv_length(found) * INDEX_ENTRY;
  char *collection = g_path_get_dirname(found[0]);
  char *text = g_strnfill(size, 'x');
  secret = secret_value_new(text, size, "application/json");
  g_hash_table_insert(attributes[0], g_strdup("kind"), g_strdup("index"));
  paths[0] = create_item(collection, attributes[0], secret);
  g_free(text);
  g_free(collection);
  g_strfreev(found);
}

// MARK: The table

static void find_and_keep(void) {
  find_items();
  keep_secret();
}

static const struct operation operations[] = {
    {"look-up", NULL, NULL, look_up, NULL},
    {"read", find_items, NULL, read_item, NULL},
    {"save", find_items, NULL, save, NULL},
    {"set", find_and_keep, NULL, set_only, NULL},
    {"create", find_and_keep, delete_first, create, NULL},
    {"create-only", find_and_keep, delete_first, create_only, NULL},
    {"create-new", find_and_keep, NULL, create_new, NULL},
    {"simple-look-up", NULL, NULL, simple_look_up, NULL},
    {"object-look-up", NULL, NULL, object_look_up, NULL},
    {"object-save", find_and_keep, NULL, object_save, NULL},
    {"object-create", find_and_keep, find_and_delete_first, object_save, NULL},
    {"index-look-up", make_index, NULL, look_up, delete_first},
    {"index-save", make_index, NULL, set_only, delete_first},
};

const struct operation *operation_named(const char *name) {
  for (size_t index = 0; index < G_N_ELEMENTS(operations); index++)
    if (strcmp(operations[index].name, name) == 0) return &operations[index];
  die("no such operation", NULL);
}
