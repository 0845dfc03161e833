// SPDX-License-Identifier: MIT
//
// The floor: the D-Bus calls of one operation of the library, made in C through libsecret, and nothing else.
//
//   floor OPERATION COUNT MILLISECONDS NAME=VALUE… [-- NAME=VALUE…]…
//
//   look-up      SearchItems for the attributes, GetSecrets of all that it finds
//   read         GetSecrets of the item with the attributes, found beforehand
//   save         GetSecrets and SetSecret of each item in turn, found beforehand, and SearchItems for its attributes
//   set          SetSecret of the item, found beforehand, and nothing else
//   create       what the first save of an item needs: SearchItems for it and for the second item, GetSecrets
//                of the second, CreateItem beside it; it is there beforehand and afterwards
//   create-only  CreateItem, and nothing else
//   create-new   CreateItem of another account's item of the same size, beside the item
//
// And what a program in C does that uses libsecret as its manual says:
//
//   simple-look-up  secret_service_lookup for the attributes: what secret_password_lookup does
//   object-look-up  secret_service_search for all items with the attributes, and their secrets
//   object-save     secret_service_store over the item with the attributes
//   object-create   the same where there is none, beside the second item
//
// And what an index of the accounts would cost, of an item with all their entries beside the second item:
//
//   index-look-up  SearchItems for the index, GetSecrets of it
//   index-save     SetSecret of the index
//
// Prints the nanoseconds that each of COUNT runs took, one a line; fewer, but at least three, when the
// milliseconds are over.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "operations.h"

#define MINIMUM_RUNS 3

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
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

static void time_runs(const struct operation *operation, int count, long long milliseconds) {
  long long end = now() + milliseconds * 1000000LL;
  for (int run = 0; run < count && (run < MINIMUM_RUNS || now() < end); run++) {
    if (operation->prepare) operation->prepare();
    long long start = now();
    operation->run();
    printf("%lld\n", now() - start);
  }
}

int main(int argc, char **argv) {
  if (argc < 5) die("usage: floor OPERATION COUNT MILLISECONDS NAME=VALUE… [-- NAME=VALUE…]…", NULL);
  const struct operation *operation = operation_named(argv[1]);
  read_attributes(argv + 4);
  connect_to_service();
  if (operation->begin) operation->begin();
  time_runs(operation, atoi(argv[2]), atoll(argv[3]));
  if (operation->end) operation->end();
  return 0;
}
