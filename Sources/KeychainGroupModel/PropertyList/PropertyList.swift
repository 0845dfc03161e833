// SPDX-License-Identifier: MIT

package import FoundationEssentials

/// A value of a property list, Apple's file format for structured data.
///
/// Foundation's readers trap or run out of stack on malformed input, so this package has its own: strict, bounded, and
/// without a trap. Property lists may hold secrets: the description shows none of it.
package enum PropertyList: Sendable, Hashable {
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A finite number with a fraction.
  case real(Double)
  /// A point in time.
  case date(Date)
  /// Bytes.
  case data([UInt8])
  /// Text.
  case string(String)
  /// A reference to another object, as keyed archives hold them.
  case uid(UInt32)
  /// Values in order.
  case array([PropertyList])
  /// Values by their names.
  case dictionary([String: PropertyList])
}

extension PropertyList {
  /// How many arrays and dictionaries may be within each other: 64.
  package static let maximumDepth = 64

  /// How much a property list may hold once every value stands in each of its places, in bytes: 128 MiB.
  ///
  /// A binary one may refer to a value from many places, so that a small file would be a huge list.
  package static let maximumWeight = 128 << 20

  /// What a value weighs beside its text or bytes.
  static let weightOfValue = 32

  /// Reads a property list in its binary or its XML form.
  ///
  /// The binary form is `bplist00`, with no value but those named here; the XML form is UTF-8, without a document type
  /// of its own. Nothing may follow the list, and no dictionary may have a key twice.
  ///
  /// - Throws: `corruptItem` when the bytes are neither, or hold more than ``maximumDepth`` or ``maximumWeight`` permits.
  package init(parsing bytes: [UInt8]) throws(SecretStoreError) {
    if bytes.starts(with: BinaryPropertyListReader.magic) {
      var reader = try BinaryPropertyListReader(bytes)
      self = try reader.root()
    } else {
      var reader = try XMLPropertyListReader(bytes)
      self = try reader.root()
    }
  }

  /// The property list in its binary form.
  package func serialized() -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    return writer.write(self)
  }

  /// An error that says what is wrong with a property list.
  static func problem(_ what: String) -> SecretStoreError {
    SecretStoreError(.corruptItem, "The property list \(what).")
  }
}

extension PropertyList {
  /// The text of a string, `nil` for any other kind of value.
  package var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The elements of an array, `nil` for any other kind of value.
  package var arrayValue: [PropertyList]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of a dictionary, `nil` for any other kind of value.
  package var dictionaryValue: [String: PropertyList]? {
    if case .dictionary(let members) = self { members } else { nil }
  }
}

extension PropertyList: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  package var description: String { "PropertyList(redacted)" }

  /// Shows nothing.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
