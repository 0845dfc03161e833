// SPDX-License-Identifier: MIT

package import FoundationEssentials

/// A value of a property list, Apple's file format for structured data.
///
/// The readers are this package's own, because Foundation's end the process on malformed input: a set in the binary
/// form, 46 bytes long, makes the `PropertyListSerialization` of Swift 6.3.1 on Linux access invalid memory. An import
/// reads files of any origin. These readers are strict, limit the input and never trap.
///
/// A property list may hold secrets, so its description shows no content.
package enum PropertyList: Sendable, Hashable {
  /// A Boolean.
  case bool(Bool)
  /// An integer.
  case integer(Int64)
  /// A finite floating-point number.
  case real(Double)
  /// A point in time.
  case date(Date)
  /// Bytes.
  case data([UInt8])
  /// A string.
  case string(String)
  /// A reference to another object, as keyed archives use it.
  case uid(UInt32)
  /// An array.
  case array([PropertyList])
  /// A dictionary.
  case dictionary([String: PropertyList])
}

extension PropertyList {
  /// The maximum nesting depth of arrays and dictionaries: 64.
  package static let maximumDepth = 64

  /// The maximum size of a property list in bytes, with shared values counted at every place: 128 MiB.
  ///
  /// In the binary form several places may refer to one value, so a small file could describe a huge list.
  package static let maximumWeight = 128 << 20

  /// The weight in bytes of a value, in addition to its text or data.
  static let weightOfValue = 32

  /// Reads a property list in its binary or its XML form.
  ///
  /// The binary form is `bplist00`, with the types of this enumeration only. The XML form is UTF-8, without an
  /// internal document type definition. Nothing may follow the list, and no dictionary may have a key twice.
  ///
  /// - Throws: when the bytes have neither form, or exceed ``maximumDepth`` or ``maximumWeight``.
  package init(parsing bytes: [UInt8]) throws(PropertyListError) {
    if bytes.starts(with: BinaryPropertyListReader.magic) {
      var reader = try BinaryPropertyListReader(bytes)
      self = try reader.root()
    } else {
      var reader = try XMLPropertyListReader(bytes)
      self = try reader.root()
    }
  }

  /// Returns the property list in its binary form.
  package func serialized() -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    return writer.write(self)
  }

  /// Returns the error for a malformed property list.
  static func problem(_ what: String) -> PropertyListError {
    PropertyListError("The property list \(what).")
  }
}

extension PropertyList {
  /// The string, or `nil` for any other type.
  package var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The elements of the array, or `nil` for any other type.
  package var arrayValue: [PropertyList]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of the dictionary, or `nil` for any other type.
  package var dictionaryValue: [String: PropertyList]? {
    if case .dictionary(let members) = self { members } else { nil }
  }
}

extension PropertyList: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without any content.
  package var description: String { "PropertyList(redacted)" }

  /// An empty mirror.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
