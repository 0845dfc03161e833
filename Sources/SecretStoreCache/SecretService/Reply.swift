// SPDX-License-Identifier: MIT

import CLibSecret

/// A value that came over D-Bus, lent for reading.
///
/// A value of another type than asked for reads as `nil`: what comes over the bus is never trusted.
@safe struct Reply {
  let pointer: OpaquePointer

  /// Lends a value; the caller keeps its reference until the reading is done.
  init(lending pointer: OpaquePointer) { unsafe self.pointer = pointer }

  func isOfType(_ signature: String) -> Bool {
    unsafe String(cString: g_variant_get_type_string(pointer)) == signature
  }

  private var count: Int { Int(unsafe g_variant_n_children(pointer)) }

  /// Reads the child at an index of a tuple, dictionary entry or array.
  private func child<Output>(_ index: Int, _ read: (Reply) -> Output?) -> Output? {
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

  /// The truth of a boolean.
  var truth: Bool? { isOfType("b") ? unsafe g_variant_get_boolean(pointer) != 0 : nil }

  /// The number of a 32-bit or 64-bit unsigned integer.
  var number: Int? {
    if isOfType("u") { return Int(unsafe g_variant_get_uint32(pointer)) }
    return isOfType("t") ? Int(exactly: unsafe g_variant_get_uint64(pointer)) : nil
  }

  /// The texts of an `as`.
  var texts: [String]? { isOfType("as") ? (0..<count).compactMap { text(at: $0) } : nil }

  /// The paths of an `ao`.
  var paths: [ObjectPath]? { isOfType("ao") ? (0..<count).compactMap { path(at: $0) } : nil }

  /// The pairs of an `a{ss}`.
  var pairs: [String: String]? {
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

  /// The truth of a boolean at an index of a tuple.
  func truth(at index: Int) -> Bool? { child(index) { $0.truth } }

  /// The object path at an index of a tuple.
  func path(at index: Int) -> ObjectPath? {
    child(index) { $0.isOfType("o") ? $0.text.map(ObjectPath.init) : nil }
  }

  /// The text at an index of a tuple.
  func text(at index: Int) -> String? { child(index) { $0.text } }

  /// The number at an index of a tuple.
  func number(at index: Int) -> Int? { child(index) { $0.number } }

  /// The texts of an `as` at an index of a tuple.
  func texts(at index: Int) -> [String]? { child(index) { $0.texts } }

  /// Reads what the variant at an index of a tuple wraps.
  func unwrapped<Output>(at index: Int, _ read: (Reply) -> Output?) -> Output? {
    child(index) { boxed -> Output? in
      guard boxed.isOfType("v"), let value = unsafe g_variant_get_variant(boxed.pointer) else { return nil }
      defer { unsafe g_variant_unref(value) }
      return unsafe read(Reply(lending: value))
    }
  }
}
