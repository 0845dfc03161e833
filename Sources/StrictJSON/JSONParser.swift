// SPDX-License-Identifier: MIT

/// A strict parser of JSON documents.
///
/// The parser, the values and the writer are this package's own, because Foundation's lose what a token cache must
/// keep. `JSONSerialization` and `JSONDecoder` accept `{"a":1,"a":2}` and keep one of the two members, so that another
/// program may read another account or token from the same document. `[1.0,1e2]` is written back as `[1,100]`, and the
/// members of an object in any order.
///
/// A document must follow RFC 8259 exactly, in UTF-8. A leading byte order mark is skipped, as section 8.1 permits.
/// The parser also refuses a document if an object contains the same key twice, if a `\u` escape is half a
/// surrogate pair, or if objects and arrays nest deeper than ``maximumDepth``.
///
/// Parsing takes time proportional to the size of the document. The size is not limited.
package enum JSONParser {
  /// The maximum nesting depth of objects and arrays: 64 levels.
  package static let maximumDepth = 64

  /// Parses a document from an array of bytes.
  ///
  /// - Throws: ``JSONError`` with the broken rule and its byte position.
  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try parse(bytes.span)
  }

  /// Parses a document from contiguous bytes, without copying them.
  ///
  /// - Throws: ``JSONError`` with the broken rule and its byte position.
  package static func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    var reader = JSONReader()
    return try reader.document(bytes)
  }

  /// Parses a document and repairs what it can, for bytes that can be had only once.
  ///
  /// Of members with one name the last string counts that is not empty, else the last string, else the last member.
  /// What is not UTF-8, half a surrogate pair and a malformed `\u` become U+FFFD, and the backslash of another
  /// malformed escape is left out. An integer may have a plus sign or zeros in front. A missing value and a word that
  /// is none, such as `NaN`, are null, and so is what is nested too deep. Control characters in strings, a comma before
  /// a closing bracket and all that follows the value are no errors.
  ///
  /// - Parameter acceptsCut: Whether the document may end too early. What of its objects and arrays is complete counts
  ///   then.
  /// - Throws: ``JSONError`` for anything else that is no JSON.
  package static func parseLeniently(
    _ bytes: [UInt8], acceptsCut: Bool = false
  ) throws(JSONError) -> JSONValue {
    var reader = JSONReader(isLenient: true, acceptsCut: acceptsCut)
    return try reader.document(bytes.span)
  }

  /// Parses a document from any collection of bytes, such as `Data` or `String.UTF8View`, by copying it.
  ///
  /// - Throws: ``JSONError`` with the broken rule and its byte position.
  package static func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONValue {
    try parse(Array(bytes).span)
  }
}
