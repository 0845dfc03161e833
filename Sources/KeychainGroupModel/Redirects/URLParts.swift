// SPDX-License-Identifier: MIT

/// The parts of a URL, split as in RFC 3986 appendix B.
///
/// Nothing is decoded or left out. Only the scheme is put in lower case.
///
/// Foundation's `URL` is not used, because it changes or refuses what a browser passes to an app. `URL(string:)`
/// accepts the malformed escape in `com.contoso.mail://auth?code=%zz` and makes it `%25zz`, which is another code.
/// Without that repair, by `encodingInvalidCharacters: false`, it refuses `com.contoso.mail://auth?code=a|b`, which
/// browsers leave as it is.
struct URLParts {
  /// The scheme in lower case, because schemes are case-insensitive (RFC 3986 section 3.1).
  let scheme: String
  /// The text between `//` and the path, or `nil` without `//`.
  let authority: Substring?
  let path: Substring
  /// The text after the first `?`, or `nil` without one.
  let query: Substring?

  /// Splits a URL.
  ///
  /// - Throws: The problem when the URL is empty, is too long, holds a character that no URL holds, a fragment or a
  ///   malformed escape, or has no scheme or a malformed one.
  init(_ text: String, maximumBytes: Int) throws(RedirectProblem) {
    if text.isEmpty { throw RedirectProblem(.empty) }
    guard text.utf8.count <= maximumBytes else { throw RedirectProblem(.tooLong) }
    guard Self.hasURLCharacters(text.utf8) else { throw RedirectProblem(.illegalCharacter) }
    if text.utf8.contains(UInt8(ascii: "#")) { throw RedirectProblem(.fragment) }
    if PercentEncoding.bytes(of: text[...].utf8) == nil { throw RedirectProblem(.malformedEscape) }

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

  /// Returns the host and the port of the authority.
  ///
  /// - Throws: The problem when there is no host, user information, a malformed host or a malformed port.
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

  /// Returns whether a text is a scheme: a letter, then letters, digits, `+`, `-` and `.` (RFC 3986 section 3.1).
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

  /// Returns whether a text holds only printable ASCII that RFC 3986 permits.
  ///
  /// In the query it also permits characters that browsers leave unescaped there.
  private static func hasURLCharacters(_ text: String.UTF8View) -> Bool {
    guard text.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>"#.utf8.contains($0) }) else { return false }
    return text.prefix { $0 != UInt8(ascii: "?") }.allSatisfy { !#"\^`{|}"#.utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
