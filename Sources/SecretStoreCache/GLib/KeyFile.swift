// SPDX-License-Identifier: MIT

import CLibSecret

/// A GLib key file, such as a `.desktop` file or `/.flatpak-info`.
@safe package final class KeyFile {
  private let file: OpaquePointer

  /// Parses a key file.
  ///
  /// - Throws: GLib's error when the bytes are not a key file.
  package init(parsing bytes: [UInt8]) throws(BusError) {
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

  /// Returns whether a group exists.
  package func has(group: String) -> Bool { unsafe g_key_file_has_group(file, group) != 0 }

  /// Returns a key's value without its escapes, or `nil` when the key does not exist.
  ///
  /// - Throws: GLib's error when the value is not UTF-8 or has a malformed escape.
  package func string(_ key: String, in group: String) throws(BusError) -> String? {
    guard has(key: key, in: group) else { return nil }
    guard let value = unsafe try withGError({ unsafe g_key_file_get_string(file, group, key, $0) }) else {
      return nil
    }
    defer { unsafe g_free(value) }
    return unsafe String(cString: value)
  }

  /// Returns a key's list, whose elements are separated by semicolons, or `nil` when the key does not exist.
  ///
  /// - Throws: The same errors as ``string(_:in:)``.
  package func list(_ key: String, in group: String) throws(BusError) -> [String]? {
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

  /// Returns whether a key's value is `true`; `false` for anything else.
  func isTrue(_ key: String, in group: String) -> Bool {
    unsafe g_key_file_get_boolean(file, group, key, nil) != 0
  }

  /// Returns the keys of all groups whose names begin with a text in any case, with their group.
  func keys(beginningWith start: String) -> [(key: String, group: String)] {
    var found: [(key: String, group: String)] = []
    guard let groups = unsafe g_key_file_get_groups(file, nil) else { return [] }
    defer { unsafe g_strfreev(groups) }
    var nextGroup = unsafe groups
    while let group = unsafe nextGroup.pointee {
      unsafe nextGroup += 1
      guard let keys = unsafe g_key_file_get_keys(file, group, nil, nil) else { continue }
      defer { unsafe g_strfreev(keys) }
      var nextKey = unsafe keys
      while let key = unsafe nextKey.pointee {
        unsafe nextKey += 1
        guard unsafe g_ascii_strncasecmp(key, start, gsize(start.utf8.count)) == 0 else { continue }
        unsafe found.append((String(cString: key), String(cString: group)))
      }
    }
    return found
  }

  private func has(key: String, in group: String) -> Bool {
    unsafe g_key_file_has_key(file, group, key, nil) != 0
  }
}
