// SPDX-License-Identifier: MIT

import CLibSecret

/// A value on its way to D-Bus: the few shapes that the Secret Service takes.
///
/// It holds a floating reference, which the value or the call that it is put into takes over; use it once.
@safe struct Variant {
  let pointer: OpaquePointer?

  static func string(_ text: String) -> Variant { unsafe Variant(pointer: g_variant_new_string(text)) }

  static func path(_ path: ObjectPath) -> Variant {
    unsafe Variant(pointer: g_variant_new_object_path(path.text))
  }

  /// An array of object paths, `ao`.
  static func paths(_ paths: [ObjectPath]) -> Variant {
    var pointers = unsafe paths.map { unsafe path($0).pointer }
    return unsafe Variant(pointer: g_variant_new_array(ssc_path_type(), &pointers, gsize(pointers.count)))
  }

  static func boolean(_ value: Bool) -> Variant {
    unsafe Variant(pointer: g_variant_new_boolean(value ? 1 : 0))
  }

  static func boxed(_ value: Variant) -> Variant {
    unsafe Variant(pointer: g_variant_new_variant(value.pointer))
  }

  static func tuple(_ children: [Variant]) -> Variant {
    var pointers = unsafe children.map { unsafe $0.pointer }
    return unsafe Variant(pointer: g_variant_new_tuple(&pointers, gsize(pointers.count)))
  }

  /// A dictionary of strings, `a{ss}`.
  static func strings(_ pairs: [String: String]) -> Variant {
    var entries = unsafe pairs.sorted { $0.key < $1.key }
      .map { unsafe g_variant_new_dict_entry(string($0.key).pointer, string($0.value).pointer) }
    return unsafe Variant(
      pointer: g_variant_new_array(ssc_string_entry_type(), &entries, gsize(entries.count)))
  }

  /// A dictionary of variants, `a{sv}`.
  static func properties(_ pairs: [(String, Variant)]) -> Variant {
    var entries = unsafe pairs.map {
      unsafe g_variant_new_dict_entry(string($0.0).pointer, boxed($0.1).pointer)
    }
    return unsafe Variant(
      pointer: g_variant_new_array(ssc_variant_entry_type(), &entries, gsize(entries.count)))
  }
}
