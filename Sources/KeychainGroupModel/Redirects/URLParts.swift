// SPDX-License-Identifier: MIT

/// A URL's parts as RFC 3986 (appendix B) splits them, to the letter: nothing is decoded, put in lower case
/// or left out.
struct URLParts {
  /// In lower case; schemes are compared without case (RFC 3986 section 3.1).
  let scheme: String
  /// What stands between `//` and the path; `nil` without `//`.
  let authority: Substring?
  let path: Substring
  /// What stands after the first `?`; `nil` without one.
  let query: Substring?

  /// Splits a URL.
  ///
  /// - Throws: What is wrong with it: empty, too long, a character that no URL holds, a fragment, a malformed
  ///   escape, no scheme or a malformed one.
  init(_ text: String, maximumBytes: Int) throws(RedirectProblem) {
    if text.isEmpty { throw RedirectProblem(.empty) }
    guard text.utf8.count <= maximumBytes else { throw RedirectProblem(.tooLong) }
    guard Self.hasURLCharacters(text.utf8) else { throw RedirectProblem(.illegalCharacter) }
    if text.utf8.contains(UInt8(ascii: "#")) { throw RedirectProblem(.fragment) }
    guard Self.escapesAreWhole(text.utf8) else { throw RedirectProblem(.malformedEscape) }

    let end = text.utf8.firstIndex { Self.endsScheme($0) } ?? text.endIndex
    guard end < text.endIndex, text.utf8[end] == UInt8(ascii: ":"), end > text.startIndex else {
      throw RedirectProblem(.noScheme)
    }
    guard Self.isScheme(text[..<end]) else { throw RedirectProblem(.malformedScheme) }
    scheme = text[..<end].lowercased()

    var rest = text[text.index(after: end)...]
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    } else {
      query = nil
    }
    guard rest.hasPrefix("//") else {
      authority = nil
      path = rest
      return
    }
    rest = rest.dropFirst(2)
    let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    authority = rest[..<slash]
    path = rest[slash...]
  }

  /// Host and port of the authority.
  ///
  /// - Throws: What is wrong with it: no host, a user, a host that is no name or address, a malformed port.
  func endpoint() throws(RedirectProblem) -> (host: String, port: Int?) {
    guard let authority, !authority.isEmpty else { throw RedirectProblem(.noHost) }
    if authority.utf8.contains(UInt8(ascii: "@")) { throw RedirectProblem(.userInfo) }
    if authority == "[::1]" { return ("[::1]", nil) }
    if authority.hasPrefix("[::1]:") { return ("[::1]", try Self.port(authority.dropFirst(6))) }
    let colon = authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    let host = authority[..<colon]
    if host.isEmpty { throw RedirectProblem(.noHost) }
    guard host.utf8.allSatisfy(IdentifierRule.isAllowed) else { throw RedirectProblem(.malformedHost) }
    let number = authority[colon...].dropFirst()
    return (host.lowercased(), colon == authority.endIndex ? nil : try Self.port(number))
  }

  private static func port(_ text: Substring) throws(RedirectProblem) -> Int {
    guard text.utf8.count <= 5, text.utf8.allSatisfy(isDigit), let port = Int(text),
      (1...65_535).contains(port)
    else { throw RedirectProblem(.port) }
    return port
  }

  /// Whether a text is a scheme: a letter, then letters, digits, `+`, `-` and `.` (RFC 3986 section 3.1).
  static func isScheme(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || isDigit(byte)
        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
  }

  private static func endsScheme(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
  }

  /// Printable ASCII without the characters that RFC 3986 leaves out; browsers let some of them stand in a
  /// query.
  private static func hasURLCharacters(_ text: String.UTF8View) -> Bool {
    guard text.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>"#.utf8.contains($0) }) else { return false }
    return text.prefix { $0 != UInt8(ascii: "?") }.allSatisfy { !#"\^`{|}"#.utf8.contains($0) }
  }

  private static func escapesAreWhole(_ text: String.UTF8View) -> Bool {
    var rest = text[...]
    while let mark = rest.firstIndex(of: UInt8(ascii: "%")) {
      let digits = rest[mark...].dropFirst().prefix(2)
      guard digits.count == 2, digits.allSatisfy({ hexadecimal($0) != nil }) else { return false }
      rest = rest[mark...].dropFirst(3)
    }
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// The value of a hexadecimal digit.
  static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
