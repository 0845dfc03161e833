// SPDX-License-Identifier: MIT

import CLibSecret

/// A key file, as GLib reads them: what `.desktop` files and `/.flatpak-info` are.
@safe final class KeyFile {
  private let file: OpaquePointer

  /// Parses a key file.
  ///
  /// - Throws: GLib's error when it is none.
  init(parsing bytes: [UInt8]) throws(BusError) {
    let file: OpaquePointer = unsafe g_key_file_new()
    unsafe self.file = file
    _ = unsafe try withGError { error in
      unsafe bytes.withUnsafeBytes { buffer in
        unsafe g_key_file_load_from_data(
          file, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), gsize(buffer.count), G_KEY_FILE_NONE,
          error)
      }
    }
  }

  deinit { unsafe g_key_file_unref(file) }

  /// Whether there is such a group.
  func has(group: String) -> Bool { unsafe g_key_file_has_group(file, group) != 0 }

  /// A key's value without its escapes; `nil` when the key is not there.
  ///
  /// - Throws: GLib's error when the value is no UTF-8, or has a malformed escape.
  func string(_ key: String, in group: String) throws(BusError) -> String? {
    guard has(key: key, in: group) else { return nil }
    guard let value = unsafe try withGError({ unsafe g_key_file_get_string(file, group, key, $0) }) else {
      return nil
    }
    defer { unsafe g_free(value) }
    return unsafe String(cString: value)
  }

  /// A key's list, of which each element ends in a semicolon; `nil` when the key is not there.
  ///
  /// - Throws: As ``string(_:in:)``.
  func list(_ key: String, in group: String) throws(BusError) -> [String]? {
    guard has(key: key, in: group) else { return nil }
    var count: gsize = 0
    let values = unsafe try withGError { error in
      unsafe g_key_file_get_string_list(file, group, key, &count, error)
    }
    guard let values = unsafe values else { return [] }
    defer { unsafe g_strfreev(values) }
    return (0..<Int(count)).compactMap { index in
      unsafe values[index].map { unsafe String(cString: $0) }
    }
  }

  /// Whether a key's value is `true`; anything else is not.
  func isTrue(_ key: String, in group: String) -> Bool {
    unsafe g_key_file_get_boolean(file, group, key, nil) != 0
  }

  private func has(key: String, in group: String) -> Bool {
    unsafe g_key_file_has_key(file, group, key, nil) != 0
  }
}
