// SPDX-License-Identifier: MIT
//
// The floor: the D-Bus calls of one operation of the library, made in C through libsecret, and nothing else.
//
//   floor OPERATION COUNT NAME=VALUE… [-- NAME=VALUE…]…
//
//   look-up   SearchItems for the attributes, GetSecrets of all that it finds
//   read      GetSecrets of the item with the attributes, found beforehand
//   save      GetSecrets and SetSecret of each item in turn, found beforehand
//   create    what the first save of an item needs: SearchItems for it and for the second item, GetSecrets of
//             the second, CreateItem beside it; it is there beforehand and afterwards
//
// Prints the nanoseconds that each of COUNT runs took, one a line.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"

#define MAXIMUM_ITEMS 4

static GHashTable *attributes[MAXIMUM_ITEMS];
static char *paths[MAXIMUM_ITEMS];
static int items;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
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
    g_hash_table_unref(secrets);
  }
}

static void create_beside(SecretValue *secret) {
  g_strfreev(search_items(attributes[0]));
  char **marker = search_items(attributes[1]);
  if (!marker || !marker[0]) die("nothing found", NULL);
  g_hash_table_unref(get_secrets(marker));
  char *collection = g_path_get_dirname(marker[0]);
  g_free(paths[0]);
  paths[0] = create_item(collection, attributes[0], secret);
  g_free(collection);
  g_strfreev(marker);
}

// MARK: The runs

static void time_runs(int count, void (*operation)(void)) {
  for (int run = 0; run < count; run++) {
    long long start = now();
    operation();
    printf("%lld\n", now() - start);
  }
}

static void time_creations(int count) {
  char *wanted[] = {paths[0], NULL};
  GHashTable *secrets = get_secrets(wanted);
  SecretValue *secret = secret_value_ref(g_hash_table_lookup(secrets, paths[0]));
  g_hash_table_unref(secrets);
  for (int run = 0; run < count; run++) {
    delete_item(paths[0]);
    long long start = now();
    create_beside(secret);
    printf("%lld\n", now() - start);
  }
  secret_value_unref(secret);
}

static void find_items(void) {
  for (int index = 0; index < items; index++) {
    char **found = search_items(attributes[index]);
    if (!found || g_strv_length(found) != 1) die("there is not exactly one item with the attributes", NULL);
    paths[index] = g_strdup(found[0]);
    g_strfreev(found);
  }
}

static void read_attributes(char **arguments) {
  for (char **argument = arguments; *argument; argument++) {
    int is_first = argument == arguments;
    int is_separator = strcmp(*argument, "--") == 0;
    if (is_first || is_separator) {
      if (items == MAXIMUM_ITEMS) die("too many items", NULL);
      attributes[items++] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    }
    if (is_separator) continue;
    char **parts = g_strsplit(*argument, "=", 2);
    if (g_strv_length(parts) != 2) die("an attribute is NAME=VALUE", NULL);
    g_hash_table_insert(attributes[items - 1], g_strdup(parts[0]), g_strdup(parts[1]));
    g_strfreev(parts);
  }
}

int main(int argc, char **argv) {
  if (argc < 4) die("usage: floor OPERATION COUNT NAME=VALUE… [-- NAME=VALUE…]…", NULL);
  const char *operation = argv[1];
  int count = atoi(argv[2]);
  read_attributes(argv + 3);

  connect_to_service();
  if (strcmp(operation, "look-up") == 0) {
    time_runs(count, look_up);
    return 0;
  }
  find_items();
  if (strcmp(operation, "read") == 0) time_runs(count, read_item);
  else if (strcmp(operation, "save") == 0) time_runs(count, save);
  else if (strcmp(operation, "create") == 0 && items == 2) time_creations(count);
  else die("no such operation", NULL);
  return 0;
}
