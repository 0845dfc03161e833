// SPDX-License-Identifier: MIT

/// Reads JSON documents by strict rules.
///
/// A document must follow RFC 8259 exactly, in UTF-8. A byte order mark at its beginning is skipped, as
/// section 8.1 permits. Beyond the grammar, a document is refused if an object has the same key twice, if a
/// `\u` escape is half a surrogate pair, or if objects and arrays nest deeper than ``maximumDepth``.
///
/// The time needed is in proportion to the size of the document, which is not limited.
public enum JSONParser {
  /// The number of objects and arrays that may be open at the same time: 64.
  public static let maximumDepth = 64

  /// Reads a document from an array of bytes.
  ///
  /// - Throws: ``JSONError`` with the rule broken and the byte at which it is.
  public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try parse(bytes.span)
  }

  /// Reads a document from contiguous bytes, without a copy of them.
  ///
  /// - Throws: ``JSONError`` with the rule broken and the byte at which it is.
  public static func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    var reader = JSONReader()
    return try reader.document(bytes)
  }

  /// Reads a document from any collection of bytes, such as `Data` or `String.UTF8View`, by way of a copy.
  ///
  /// - Throws: ``JSONError`` with the rule broken and the byte at which it is.
  public static func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONValue {
    try parse(Array(bytes).span)
  }
}
