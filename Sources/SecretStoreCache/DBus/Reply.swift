// SPDX-License-Identifier: MIT

import CLibSecret

/// A value received over D-Bus, borrowed for reading.
///
/// Received values are not trusted. A value of another type than the one asked for reads as `nil`.
@safe package struct Reply {
  let pointer: OpaquePointer

  /// Borrows a value; the caller keeps its reference until the reading is done.
  init(lending pointer: OpaquePointer) { unsafe self.pointer = pointer }

  func isOfType(_ signature: String) -> Bool {
    unsafe String(cString: g_variant_get_type_string(pointer)) == signature
  }

  /// The size of the value in bytes.
  var size: Int { Int(unsafe g_variant_get_size(pointer)) }

  private var count: Int { Int(unsafe g_variant_n_children(pointer)) }

  /// Reads the child at an index of a tuple, dictionary entry or array.
  func child<Output>(_ index: Int, _ read: (Reply) -> Output?) -> Output? {
    guard unsafe g_variant_is_container(pointer) != 0, index < count,
      let child = unsafe g_variant_get_child_value(pointer, gsize(index))
    else { return nil }
    defer { unsafe g_variant_unref(child) }
    return unsafe read(Reply(lending: child))
  }

  /// The text of a string or an object path.
  var text: String? {
    guard isOfType("s") || isOfType("o"), let text = unsafe g_variant_get_string(pointer, nil) else {
      return nil
    }
    return unsafe String(cString: text)
  }

  /// The path of an object path.
  var path: ObjectPath? { isOfType("o") ? text.flatMap(ObjectPath.init) : nil }

  /// The value of a boolean.
  var bool: Bool? { isOfType("b") ? unsafe g_variant_get_boolean(pointer) != 0 : nil }

  /// The value of a 32-bit or 64-bit unsigned integer.
  var number: Int? {
    if isOfType("u") { return Int(unsafe g_variant_get_uint32(pointer)) }
    return isOfType("t") ? Int(exactly: unsafe g_variant_get_uint64(pointer)) : nil
  }

  /// The strings of an `as`.
  var texts: [String]? { isOfType("as") ? (0..<count).compactMap { text(at: $0) } : nil }

  /// The paths of an `ao`.
  var paths: [ObjectPath]? { isOfType("ao") ? (0..<count).compactMap { path(at: $0) } : nil }

  /// The bytes of an `ay`.
  private var bytes: [UInt8]? {
    guard isOfType("ay") else { return nil }
    var count: gsize = 0
    guard let start = unsafe g_variant_get_fixed_array(pointer, &count, 1), count > 0 else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  /// The pairs of an `a{ss}`.
  package var pairs: [String: String]? {
    guard isOfType("a{ss}") else { return nil }
    var pairs: [String: String] = [:]
    for index in 0..<count {
      let pair = child(index) { entry in entry.child(0) { $0.text }.map { ($0, entry.child(1) { $0.text }) } }
      if let (name, value) = pair { pairs[name] = value }
    }
    return pairs
  }

  /// Reads the values of an `a{o…}` at an index of a tuple.
  func values<Value>(
    at index: Int, _ read: (Reply) -> Value?
  ) -> [ObjectPath: Value]? {
    child(index) { dictionary in
      guard unsafe String(cString: g_variant_get_type_string(dictionary.pointer)).hasPrefix("a{o") else {
        return nil
      }
      var values: [ObjectPath: Value] = [:]
      for index in 0..<dictionary.count {
        let entry = dictionary.child(index) { entry in entry.path(at: 0).map { ($0, entry.child(1, read)) } }
        if let (path, value) = entry { values[path] = value }
      }
      return values
    }
  }

  /// The paths of an `ao` at an index of a tuple.
  func paths(at index: Int) -> [ObjectPath]? { child(index) { $0.paths } }

  /// The boolean at an index of a tuple.
  package func bool(at index: Int) -> Bool? { child(index) { $0.bool } }

  /// The object path at an index of a tuple.
  func path(at index: Int) -> ObjectPath? {
    child(index) { $0.path }
  }

  /// The text at an index of a tuple.
  package func text(at index: Int) -> String? { child(index) { $0.text } }

  /// The index of a file descriptor, at an index of a tuple.
  func handle(at index: Int) -> Int? {
    child(index) { $0.handle }
  }

  /// The index of a file descriptor among those that came with the message.
  var handle: Int? { isOfType("h") ? Int(unsafe g_variant_get_handle(pointer)) : nil }

  /// Reads a value of the `a{sv}` that is the first of a tuple.
  func property<Output>(_ name: String, _ read: (Reply) -> Output?) -> Output? {
    child(0) { dictionary -> Output? in
      guard dictionary.isOfType("a{sv}"),
        let value = unsafe g_variant_lookup_value(dictionary.pointer, name, nil)
      else { return nil }
      defer { unsafe g_variant_unref(value) }
      return unsafe read(Reply(lending: value))
    }
  }

  /// The number at an index of a tuple.
  package func number(at index: Int) -> Int? { child(index) { $0.number } }

  /// The bytes of an `ay` at an index of a tuple.
  package func bytes(at index: Int) -> [UInt8]? { child(index) { $0.bytes } }

  /// The pairs of an `a{ss}` at an index of a tuple.
  package func pairs(at index: Int) -> [String: String]? { child(index) { $0.pairs } }

  /// Reads the members of an array at an index of a tuple; `nil` when one of them can't be read.
  package func list<Member>(at index: Int, _ read: (Reply) -> Member?) -> [Member]? {
    child(index) { array in
      guard unsafe g_variant_is_of_type(array.pointer, ssc_array_type()) != 0 else { return nil }
      var members: [Member] = []
      for index in 0..<array.count {
        guard let member = array.child(index, read) else { return nil }
        members.append(member)
      }
      return members
    }
  }

  /// The strings of an `as` at an index of a tuple.
  func texts(at index: Int) -> [String]? { child(index) { $0.texts } }

  /// Reads the value inside the variant at an index of a tuple.
  func unwrapped<Output>(at index: Int, _ read: (Reply) -> Output?) -> Output? {
    child(index) { boxed -> Output? in
      guard boxed.isOfType("v"), let value = unsafe g_variant_get_variant(boxed.pointer) else { return nil }
      defer { unsafe g_variant_unref(value) }
      return unsafe read(Reply(lending: value))
    }
  }
}
