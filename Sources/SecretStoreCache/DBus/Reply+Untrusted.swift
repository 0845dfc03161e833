// SPDX-License-Identifier: MIT

import CLibSecret

extension Reply {
  /// Lends untrusted bytes as a value of a type; `Scripts/fuzz` feeds the readers with it.
  ///
  /// - Parameters:
  ///   - bytes: A value as GVariant serializes it, or anything else.
  ///   - type: The type of the value, or anything else.
  ///   - read: Reads the value.
  /// - Returns: What `read` returns; `nil` when `type` is not a type of a complete value.
  static func lending<Outcome>(_ bytes: [UInt8], as type: String, _ read: (Reply) -> Outcome) -> Outcome? {
    guard unsafe g_variant_type_string_is_valid(type) != 0, let known = unsafe g_variant_type_new(type) else {
      return nil
    }
    defer { unsafe g_variant_type_free(known) }
    guard unsafe g_variant_type_is_definite(known) != 0 else { return nil }
    let content = unsafe g_bytes_new(bytes, gsize(bytes.count))
    defer { unsafe g_bytes_unref(content) }
    guard let floating = unsafe g_variant_new_from_bytes(known, content, 0) else { return nil }
    let value = unsafe g_variant_ref_sink(floating)
    defer { unsafe g_variant_unref(value) }
    return unsafe value.map { unsafe read(Reply(lending: $0)) }
  }
}
