// SPDX-License-Identifier: MIT

import CLibSecret

/// A value to be sent over D-Bus, in one of the few types that the Secret Service takes.
@safe package final class Variant {
  let pointer: OpaquePointer

  /// Takes ownership of a floating reference.
  ///
  /// - Throws: `BusError.invalidValue` when there is none: GLib rejected the value.
  init(owning pointer: OpaquePointer?) throws {
    guard let pointer = unsafe pointer else { throw BusError.invalidValue }
    unsafe self.pointer = g_variant_take_ref(pointer)
  }

  deinit { unsafe g_variant_unref(pointer) }

  /// Makes a string.
  ///
  /// - Throws: `BusError.invalidValue` when the text has a zero byte, at which C would cut it off.
  package static func string(_ text: String) throws -> Variant {
    guard !text.utf8.contains(0) else { throw BusError.invalidValue }
    return unsafe try Variant(owning: g_variant_new_string(text))
  }

  static func path(_ path: ObjectPath) throws -> Variant {
    unsafe try Variant(owning: g_variant_new_object_path(path.text))
  }

  /// Makes an array of object paths, `ao`.
  static func paths(_ paths: [ObjectPath]) throws -> Variant {
    unsafe try array(of: ssc_path_type(), try paths.map(path))
  }

  package static func boolean(_ value: Bool) throws -> Variant {
    unsafe try Variant(owning: g_variant_new_boolean(value ? 1 : 0))
  }

  package static func number(_ value: UInt32) throws -> Variant {
    unsafe try Variant(owning: g_variant_new_uint32(value))
  }

  /// Makes a time in seconds since 1970, `t`.
  static func time(_ seconds: UInt64) throws -> Variant {
    unsafe try Variant(owning: g_variant_new_uint64(guint64(seconds)))
  }

  /// Makes an index of a file descriptor among those that are sent with a message.
  package static func handle(_ index: Int32) throws -> Variant {
    unsafe try Variant(owning: g_variant_new_handle(index))
  }

  /// Makes an array of bytes, `ay`.
  package static func bytes(_ bytes: [UInt8]) throws -> Variant {
    unsafe try Variant(owning: g_variant_new_fixed_array(ssc_byte_type(), bytes, gsize(bytes.count), 1))
  }

  static func boxed(_ value: Variant) throws -> Variant {
    unsafe try Variant(owning: g_variant_new_variant(value.pointer))
  }

  package static func tuple(_ children: [Variant]) throws -> Variant {
    try withExtendedLifetime(children) {
      var pointers = unsafe children.map { unsafe Optional($0.pointer) }
      return unsafe try Variant(owning: g_variant_new_tuple(&pointers, gsize(pointers.count)))
    }
  }

  /// Makes a dictionary of strings, `a{ss}`.
  package static func strings(_ pairs: [String: String]) throws -> Variant {
    unsafe try array(
      of: ssc_string_entry_type(),
      try pairs.sorted { $0.key < $1.key }.map { try entry($0.key, string($0.value)) })
  }

  /// Makes a dictionary of variants, `a{sv}`.
  package static func properties(_ pairs: [(String, Variant)]) throws -> Variant {
    unsafe try array(of: ssc_variant_entry_type(), try pairs.map { try entry($0.0, boxed($0.1)) })
  }

  private static func entry(_ key: String, _ value: Variant) throws -> Variant {
    let key = try string(key)
    return unsafe try Variant(owning: g_variant_new_dict_entry(key.pointer, value.pointer))
  }

  /// Makes an array; its members have the type that a signature names.
  package static func list(of signature: String, _ members: [Variant]) throws -> Variant {
    guard let type = unsafe g_variant_type_new(signature) else { throw BusError.invalidValue }
    defer { unsafe g_variant_type_free(type) }
    return unsafe try array(of: type, members)
  }

  private static func array(of type: OpaquePointer?, _ members: [Variant]) throws -> Variant {
    try withExtendedLifetime(members) {
      var pointers = unsafe members.map { unsafe Optional($0.pointer) }
      return unsafe try Variant(owning: g_variant_new_array(type, &pointers, gsize(pointers.count)))
    }
  }
}
