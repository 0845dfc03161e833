// SPDX-License-Identifier: MIT
//
// The D-Bus calls to the Secret Service: one each, and the program ends when one fails.

#ifndef FLOOR_CALLS_H
#define FLOOR_CALLS_H

#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <gio/gio.h>
#include <libsecret/secret.h>

// Ends the program. Takes over the error, which may be NULL.
_Noreturn void die(const char *what, GError *error);

// Connects and opens an encrypted session: before any other call.
void connect_to_service(void);

// SearchItems: the paths of the unlocked items that have the attributes.
char **search_items(GHashTable *attributes);

// GetSecrets: a table of SecretValues by path.
GHashTable *get_secrets(char **paths);

// SetSecret.
void set_secret(const char *path, SecretValue *secret);

// Delete.
void delete_item(const char *path);

// CreateItem: the new item's path.
char *create_item(const char *collection, GHashTable *attributes, SecretValue *secret);

// secret_service_lookup, which is secret_password_lookup: the first item's secret.
SecretValue *look_up_password(GHashTable *attributes);

// secret_service_search: all items, as objects, with their secrets.
GList *search_objects(GHashTable *attributes);

// secret_service_store, into a collection: an item with the attributes is replaced.
void store_object(const char *collection, GHashTable *attributes, SecretValue *secret);

#endif
