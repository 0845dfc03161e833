// SPDX-License-Identifier: MIT
//
// libsecret and GLib for Swift. No logic: only what Swift's importer cannot see by itself
// (function-like macros and variadic functions).

#ifndef SECRETSTORECACHE_SHIM_H
#define SECRETSTORECACHE_SHIM_H

#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <gio/gio.h>
#include <libsecret/secret.h>

static inline GType ssc_service_type(void) { return SECRET_TYPE_SERVICE; }
static inline const GVariantType *ssc_path_type(void) { return G_VARIANT_TYPE_OBJECT_PATH; }
static inline const GVariantType *ssc_array_type(void) { return G_VARIANT_TYPE_ARRAY; }
static inline const GVariantType *ssc_byte_type(void) { return G_VARIANT_TYPE_BYTE; }
static inline const GVariantType *ssc_string_entry_type(void) { return G_VARIANT_TYPE("{ss}"); }
static inline const GVariantType *ssc_variant_entry_type(void) { return G_VARIANT_TYPE("{sv}"); }

#endif
