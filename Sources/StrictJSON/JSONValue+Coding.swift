// SPDX-License-Identifier: MIT

extension JSONValue {
  /// Parses a JSON document by the rules of `JSONParser`.
  ///
  /// - Throws: ``JSONError`` with the broken rule and its byte position.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    self = try JSONParser.parse(bytes)
  }

  /// Parses a JSON document by the rules of `JSONParser`, without copying the bytes.
  ///
  /// - Throws: ``JSONError`` with the broken rule and its byte position.
  public init(parsing bytes: Span<UInt8>) throws(JSONError) {
    self = try JSONParser.parse(bytes)
  }

  /// Parses a JSON document from any collection of bytes, such as `Data` or `String.UTF8View`.
  ///
  /// - Throws: ``JSONError`` with the broken rule and its byte position.
  public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
    self = try JSONParser.parse(bytes)
  }

  /// Returns the value as a JSON document in UTF-8, without a byte order mark (RFC 8259, section 8.1).
  ///
  /// Members keep their order. Only the characters that must be escaped are: the quotation mark, the reverse
  /// solidus and the characters below U+0020 (RFC 8259, section 7). The parser accepts the document and returns an
  /// equal value, unless the value nests deeper than `JSONParser.maximumDepth`.
  ///
  /// - Parameter pretty: If `true`, each member and element is on a line of its own, indented by four spaces per
  ///   level. If `false`, the document has no white space between tokens. There is never a line feed at the end.
  public func serialized(pretty: Bool = false) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty)
    writer.write(self, depth: 0)
    return writer.output
  }
}

extension JSONObject {
  /// Parses a JSON document whose value is an object, by the rules of `JSONParser`.
  ///
  /// - Throws: ``JSONError`` with the broken rule and its byte position; ``JSONError/Reason/notAnObject`` for another
  ///   value.
  public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
    guard case .object(let object) = try JSONValue(parsing: bytes) else {
      throw JSONError(reason: .notAnObject, offset: 0)
    }
    self = object
  }

  /// Returns the object as a JSON document in UTF-8; see ``JSONValue/serialized(pretty:)``.
  public func serialized(pretty: Bool = false) -> [UInt8] {
    JSONValue.object(self).serialized(pretty: pretty)
  }
}
