// SPDX-License-Identifier: MIT

import CAdwaita

/// An object of GTK, with its properties by name.
@MainActor
struct Part {
  let pointer: UnsafeMutableRawPointer

  init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

  /// Creates an object of a type.
  init(new type: GType) { pointer = ssc_new(type) }

  func set(_ property: String, _ text: String) { ssc_set_text(pointer, property, text) }
  func set(_ property: String, _ flag: Bool) { ssc_set_flag(pointer, property, flag ? 1 : 0) }
  func set(_ property: String, _ number: Int32) { ssc_set_number(pointer, property, number) }
  func set(_ property: String, _ object: Part) { ssc_set_object(pointer, property, object.pointer) }

  /// Sets a text that GTK reads as markup.
  ///
  /// What comes from elsewhere stays text by that.
  func setMarkup(_ property: String, _ text: String) {
    let escaped: UnsafeMutablePointer<CChar> = g_markup_escape_text(text, -1)
    defer { g_free(escaped) }
    ssc_set_text(pointer, property, escaped)
  }

  /// What a screen reader says of a widget that shows no text.
  func setAccessibleLabel(_ text: String) { ssc_set_accessible_label(pointer, text) }

  /// The object as C's functions for a type take it.
  func `as`<Object>(_ type: Object.Type) -> UnsafeMutablePointer<Object> {
    pointer.assumingMemoryBound(to: type)
  }

  /// The object as C's functions take it, for the types that Swift sees without their fields.
  var opaque: OpaquePointer { OpaquePointer(pointer) }
}

/// The objects of a user interface file, by their identifiers.
@MainActor
struct Parts {
  private let builder: Part

  init(_ file: [UInt8]) {
    let text = String(decoding: file, as: UTF8.self)
    builder = Part(UnsafeMutableRawPointer(gtk_builder_new_from_string(text, -1)))
  }

  subscript(identifier: String) -> Part {
    guard let object = gtk_builder_get_object(builder.opaque, identifier) else {
      preconditionFailure("the user interface has no \(identifier)")
    }
    return Part(UnsafeMutableRawPointer(object))
  }
}
