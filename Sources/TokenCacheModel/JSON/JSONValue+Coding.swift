// SPDX-License-Identifier: MIT

extension JSONValue {
  /// Reads a JSON document by the rules of ``JSONParser``.
  ///
  /// - Throws: ``JSONError`` with the rule broken and the byte at which it is.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    self = try JSONParser.parse(bytes)
  }

  /// Reads a JSON document by the rules of ``JSONParser``, without a copy of the bytes.
  ///
  /// - Throws: ``JSONError`` with the rule broken and the byte at which it is.
  public init(parsing bytes: Span<UInt8>) throws(JSONError) {
    self = try JSONParser.parse(bytes)
  }

  /// Reads a JSON document from any collection of bytes, such as `Data` or `String.UTF8View`.
  ///
  /// - Throws: ``JSONError`` with the rule broken and the byte at which it is.
  public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
    self = try JSONParser.parse(bytes)
  }

  /// Returns the value as a JSON document in UTF-8, without a byte order mark (RFC 8259, section 8.1).
  ///
  /// Members keep their order. Only what must be escaped is: the quotation mark, the reverse solidus and the
  /// characters below U+0020 (RFC 8259, section 7). The parser accepts the document and gives an equal value,
  /// provided that the value does not nest deeper than ``JSONParser/maximumDepth``.
  ///
  /// - Parameter pretty: If true, every member and element is on a line of its own, indented by four spaces a
  ///   level. If false, the document has no white space at all. There is never a line feed at the end.
  public func serialized(pretty: Bool = false) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty)
    writer.write(self, depth: 0)
    return writer.output
  }
}
