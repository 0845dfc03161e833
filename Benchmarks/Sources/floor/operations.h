// SPDX-License-Identifier: MIT
//
// The operations of the floor program, by their names.

#ifndef FLOOR_OPERATIONS_H
#define FLOOR_OPERATIONS_H

#include <glib.h>

#define MAXIMUM_ITEMS 4

// The attributes of each of the items, and how many items there are: set before anything else.
extern GHashTable *attributes[MAXIMUM_ITEMS];
extern int items;

// Of an operation only run() is timed; each of the others may be NULL.
struct operation {
  const char *name;
  void (*begin)(void);
  void (*prepare)(void);  // before each run
  void (*run)(void);
  void (*end)(void);
};

// The program ends when there is none of the name.
const struct operation *operation_named(const char *name);

#endif
