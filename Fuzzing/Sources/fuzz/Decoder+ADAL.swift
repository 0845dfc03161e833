// SPDX-License-Identifier: MIT

import FoundationEssentials
import TokenCacheModel

@testable import ADALCache
@testable import UnifiedCache

extension Decoder {
  /// The time zone of times that state none.
  private static let zone = TimeZone(secondsFromGMT: 19_800)

  /// Checks a file of ADAL.
  ///
  /// Accepted tokens must be valid, and unchanged after they were written and read again.
  func checkADALFile(_ bytes: [UInt8], as format: ADALFileFormat) {
    let file = try? ADALFile(parsing: bytes, as: format, skippingInvalid: true, timeZone: Self.zone)
    var error: (any Error)?
    do {
      let strict = try ADALFile(parsing: bytes, as: format, timeZone: Self.zone)
      expect(strict.tokens == file?.tokens, "skipping changes nothing else")
      expect(strict.leftOut == file?.leftOut, "skipping changes nothing else")
    } catch let refusal {
      error = refusal
    }
    let isWhole = file.map { !$0.leftOut.contains { $0.reason == .invalid } } ?? false
    expect((error == nil) == isWhole, "without leave to skip, a file is read whole or not")
    if let error { expectNoSecret(of: bytes, in: error) }
    guard let file else { return }
    expectNoSecret(of: bytes, in: file)
    expectNoSecret(of: bytes, in: file.leftOut)
    for token in file.tokens {
      checkADALToken(token)
      expectNoSecret(of: bytes, in: token)
    }
    expect(ADALFile(tokens: file.tokens).tokens == file.tokens, "no item is there twice")
    checkADALWriting(file, as: .python)
    checkADALWriting(file, as: .objc)
  }

  /// Checks that a token has the required members and that they are consistent.
  private func checkADALToken(_ token: ADALToken) {
    expect(!token.authority.isEmpty && !token.clientID.isEmpty, "an item has an authority and a client")
    expect(token.kind != nil, "an item holds a token")
    expect(token.refreshToken != "<tombstone>", "an item is not a removed one's place")
    expect(token.subject == .user || token.userID == nil, "what is no user's names none")
    for text in [token.accessToken, token.refreshToken, token.idToken] {
      expect(text?.utf8.count ?? 0 <= TokenResponse.maximumTokenBytes, "a token is not too large")
    }
    for case let time? in [token.expiresOn, token.extendedExpiresOn, token.cachedAt] {
      expect(0..<7_258_118_400 ~= time.timeIntervalSince1970, "times are sane")
    }
  }

  /// Writes a file, reads it, and writes it again.
  private func checkADALWriting(_ file: ADALFile, as format: ADALFileFormat) {
    let written = expectNoError("a file can be written") {
      try file.serialized(as: format, timeZone: Self.zone)
    }
    let again = expectNoError("what was written can be read") {
      try ADALFile(parsing: written.bytes, as: format, timeZone: Self.zone)
    }
    expect(again.leftOut.isEmpty, "nothing of what was written is left out")
    expect(again.tokens.count == file.tokens.count - written.leftOut, "what is not left out is written")
    let texts = [file, again].map { file in
      file.tokens.flatMap { [$0.accessToken, $0.refreshToken] }.compactMap(\.self)
    }
    expect(Set(texts[1]).isSubset(of: texts[0]), "no token is made up")
    if written.leftOut == 0 { expect(texts[0].sorted() == texts[1].sorted(), "no token is lost") }
    let second = expectNoError("a file can be written") {
      try again.serialized(as: format, timeZone: Self.zone)
    }
    expect(second.bytes == written.bytes && second.leftOut == 0, "the same items are written in the same way")
  }

  /// Checks an archive.
  ///
  /// JSON input is converted to the XML of an archive, in which `CF$UID` is a reference.
  func checkADALArchive(_ bytes: [UInt8]) {
    checkADALFile(bytes, as: .objc)
    guard let value = try? JSONValue(parsing: bytes) else { return }
    checkADALFile(Array("<plist>\(Self.xml(value))</plist>".utf8), as: .objc)
  }

  private static func xml(_ value: JSONValue) -> String {
    switch value {
    case .null: return "<data/>"
    case .bool(let bool): return bool ? "<true/>" : "<false/>"
    case .number(let number):
      let kind = number.literal.allSatisfy { $0.isNumber || $0 == "-" } ? "integer" : "real"
      return "<\(kind)>\(number.literal)</\(kind)>"
    case .string(let text): return "<string>\(escaped(text))</string>"
    case .array(let elements): return "<array>\(elements.map(xml).joined())</array>"
    case .object(let members):
      return "<dict>\(members.map { "<key>\(escaped($0.key))</key>\(xml($0.value))" }.joined())</dict>"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  /// Checks a stream of ADAL.NET.
  ///
  /// A JSON array of alternating keys and values is converted to a stream of either schema.
  func checkADALStream(_ bytes: [UInt8]) {
    checkADALFile(bytes, as: .dotnet)
    guard let entries = (try? JSONValue(parsing: bytes))?.arrayValue else { return }
    let texts = entries.map { $0.stringValue.map { Array($0.utf8) } ?? $0.serialized() }
    for schema in [2, 3] as [UInt8] {
      let count = texts.count / 2
      var stream = [schema, 0, 0, 0, UInt8(count & 0xFF), UInt8(count >> 8 & 0xFF), 0, 0]
      for text in texts.prefix(count * 2) {
        var length = text.count
        while length >= 128 {
          stream.append(UInt8(length & 0x7F) | 0x80)
          length >>= 7
        }
        stream += [UInt8(length)] + text
      }
      checkADALFile(stream, as: .dotnet)
    }
  }
}
