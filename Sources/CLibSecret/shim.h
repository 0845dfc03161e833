// SPDX-License-Identifier: MIT
//
// libsecret and GLib for Swift. No logic: only what Swift's importer cannot see by itself
// (function-like macros and variadic functions).

#ifndef SECRETSTORECACHE_SHIM_H
#define SECRETSTORECACHE_SHIM_H

#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <gio/gio.h>
#include <libsecret/secret.h>

static inline GQuark ssc_io_error_domain(void) { return G_IO_ERROR; }
static inline GQuark ssc_dbus_error_domain(void) { return G_DBUS_ERROR; }
static inline GQuark ssc_secret_error_domain(void) { return SECRET_ERROR; }
static inline GType ssc_service_type(void) { return SECRET_TYPE_SERVICE; }
static inline const GVariantType *ssc_variant_type(const gchar *signature) { return G_VARIANT_TYPE(signature); }

#endif
