// SPDX-License-Identifier: MIT

extension JSONError {
  /// The rule that a refused JSON document breaks.
  ///
  /// More reasons may be added. Compare with the constants below and handle all others with a default.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    enum Code: String, Hashable, Sendable, CaseIterable {
      case unexpectedEnd = "unexpected end of the document"
      case unexpectedByte = "byte not allowed here"
      case invalidLiteral = "misspelt null, true or false"
      case invalidNumber = "malformed number"
      case controlCharacter = "unescaped control character in a string"
      case invalidEscape = "malformed escape sequence"
      case loneSurrogate = "surrogate escape without its other half"
      case invalidUTF8 = "malformed UTF-8"
      case duplicateKey = "duplicate key in an object"
      case trailingComma = "comma before a closing bracket"
      case nestingTooDeep = "more than 64 levels of nesting"
      case trailingContent = "content after the end of the document"
      case notAnObject = "a value that is no object"
    }

    let code: Code

    /// The document ends before its value is complete, or contains no value at all (RFC 8259, section 2).
    public static let unexpectedEnd = Self(code: .unexpectedEnd)

    /// A byte is not allowed by the grammar at its position (RFC 8259, sections 2 to 5).
    public static let unexpectedByte = Self(code: .unexpectedByte)

    /// A word begins with the letter of `null`, `true` or `false` but is none of them (RFC 8259, section 3).
    public static let invalidLiteral = Self(code: .invalidLiteral)

    /// A number does not follow the grammar, for example because of a leading zero (RFC 8259, section 6).
    public static let invalidNumber = Self(code: .invalidNumber)

    /// A string contains an unescaped character below U+0020 (RFC 8259, section 7).
    public static let controlCharacter = Self(code: .controlCharacter)

    /// A backslash does not begin a valid escape sequence (RFC 8259, section 7).
    public static let invalidEscape = Self(code: .invalidEscape)

    /// A `\u` escape is one half of a surrogate pair without the other half (RFC 8259, section 8.2).
    ///
    /// The RFC leaves the result unspecified. Such a string has no UTF-8 form and could not be written back.
    public static let loneSurrogate = Self(code: .loneSurrogate)

    /// A string contains bytes that are not well-formed UTF-8 (RFC 8259, section 8.1).
    public static let invalidUTF8 = Self(code: .invalidUTF8)

    /// An object contains the same key twice, compared after unescaping (RFC 8259, sections 4 and 8.3).
    ///
    /// The RFC only recommends unique keys. This package requires them. The offset is that of the second key.
    public static let duplicateKey = Self(code: .duplicateKey)

    /// A comma follows the last member or element (RFC 8259, sections 4 and 5).
    public static let trailingComma = Self(code: .trailingComma)

    /// Objects and arrays nest deeper than `JSONParser.maximumDepth`, a limit that RFC 8259, section 9 permits.
    public static let nestingTooDeep = Self(code: .nestingTooDeep)

    /// Something other than white space follows the document's value (RFC 8259, section 2).
    public static let trailingContent = Self(code: .trailingContent)

    /// The document is valid, but its value is no object, which the reader requires.
    public static let notAnObject = Self(code: .notAnObject)

    /// The reason in English, the same for every document.
    public var description: String { code.rawValue }
  }
}
