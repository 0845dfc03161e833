// SPDX-License-Identifier: MIT

import CLibSecret

/// The apps that GIO opens URLs with.
enum SchemeApps {
  /// Returns the desktop file IDs of the apps that handle a scheme; the app that opens its URLs is the first.
  ///
  /// GIO reads `mimeapps.list` and `mimeinfo.cache`, which `update-desktop-database` writes. It skips apps whose
  /// program does not exist. This may be called on any thread.
  static func identifiers(for scheme: String) -> [String] {
    // GIO treats an empty C string as a programmer error.
    if scheme.utf8.first ?? 0 == 0 { return [] }
    var identifiers: [String] = []
    if let standard = unsafe g_app_info_get_default_for_uri_scheme(scheme) {
      unsafe add(standard, to: &identifiers)
      unsafe g_object_unref(UnsafeMutableRawPointer(standard))
    }
    let list = unsafe g_app_info_get_all_for_type("x-scheme-handler/\(scheme)")
    var rest = unsafe list
    while let node = unsafe rest {
      if let app = unsafe node.pointee.data {
        unsafe add(OpaquePointer(app), to: &identifiers)
        unsafe g_object_unref(app)
      }
      unsafe rest = node.pointee.next
    }
    unsafe g_list_free(list)
    return identifiers
  }

  private static func add(_ app: OpaquePointer, to identifiers: inout [String]) {
    guard let name = unsafe g_app_info_get_id(app) else { return }
    let identifier = unsafe String(cString: name)
    if !identifiers.contains(identifier) { identifiers.append(identifier) }
  }
}
