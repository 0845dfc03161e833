// SPDX-License-Identifier: MIT
//
// GTK 4 and libadwaita for Swift. No logic: only what Swift's importer cannot see by itself: variadic functions, the
// casts of macros, and the two functions of libdispatch.

#ifndef SECRETSTORECACHE_ADWAITA_SHIM_H
#define SECRETSTORECACHE_ADWAITA_SHIM_H

#include <adwaita.h>
#include <gdk/x11/gdkx.h>
#include <glib-unix.h>

// libdispatch's main queue for an event loop that is not its own: CoreFoundation uses these two, and no header
// declares them. The descriptor is readable while the queue holds work.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

// The properties of an object: a text, a truth value, a number or an enumeration, another object.
static inline void ssc_set_text(void *object, const char *property, const char *value) {
  g_object_set(object, property, value, NULL);
}

static inline void ssc_set_flag(void *object, const char *property, gboolean value) {
  g_object_set(object, property, value, NULL);
}

static inline void ssc_set_number(void *object, const char *property, int value) {
  g_object_set(object, property, value, NULL);
}

static inline void ssc_set_object(void *object, const char *property, void *value) {
  g_object_set(object, property, value, NULL);
}

static inline char *ssc_text(void *object, const char *property) {
  char *value = NULL;
  g_object_get(object, property, &value, NULL);
  return value;
}

static inline void *ssc_new(GType type) { return g_object_new(type, NULL); }

// What a screen reader says of a widget that shows no text.
static inline void ssc_set_accessible_label(void *widget, const char *label) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

// The number by which X11 knows a window; 0 on Wayland, and before the window is shown.
static inline unsigned long ssc_x11_window(void *window) {
  GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
  return surface && GDK_IS_X11_SURFACE(surface) ? gdk_x11_surface_get_xid(surface) : 0;
}

#endif
