// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON

/// A reader of a token response's members, whose errors contain the member's name and not its value.
struct ResponseMembers {
  /// The latest point in time that is kept, in seconds since 1970; it is beyond every one that counts.
  private static let latest = 1e12

  /// The maximum size of an identifier, in bytes.
  private static let maximumIdentifierBytes = 10_000

  private let object: JSONObject
  /// The name of the object in errors.
  private let whole: String
  /// Whether a member of the wrong type or size, or with an unsafe character, counts as absent and is added to ``odd``.
  private let isLenient: Bool
  /// The names of the members that were left out or changed.
  private(set) var odd: [String] = []

  init(_ object: JSONObject, of whole: String = "token response", isLenient: Bool = false) {
    self.object = object
    self.whole = whole
    self.isLenient = isLenient
  }

  /// Returns a string member; blank text and null count as absent.
  mutating func text(_ name: String) throws(SecretStoreError) -> String? {
    switch object[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text.allSatisfy(\.isWhitespace) ? nil : text
    default:
      try leaveOut(name, because: "is not a string")
      return nil
    }
  }

  /// Leaves a member out, and notes that, or throws `invalidResponse` unless the reader is lenient.
  mutating func leaveOut(_ name: String, because what: String) throws(SecretStoreError) {
    guard isLenient else { throw problem(name, what) }
    odd.append(name)
  }

  /// Returns a string member that is an identifier; see `hasUnsafeCharacter`.
  ///
  /// - Parameters:
  ///   - name: The member.
  ///   - limit: The maximum size in bytes. A larger one could make the record too large for the refresh token.
  mutating func identifier(
    _ name: String, limit: Int = Self.maximumIdentifierBytes
  ) throws(SecretStoreError) -> String? {
    guard let text = try text(name) else { return nil }
    guard text.utf8.count <= limit else {
      try leaveOut(name, because: "is larger than \(limit) bytes")
      return nil
    }
    if text.hasUnsafeCharacter {
      try leaveOut(name, because: "holds a control character or too many combining marks")
      return nil
    }
    return text
  }

  /// Returns a string member that is a token, whose size is limited.
  mutating func token(_ name: String) throws(SecretStoreError) -> String? {
    guard let token = try text(name) else { return nil }
    guard token.utf8.count <= TokenResponse.maximumTokenBytes else {
      try leaveOut(name, because: "is larger than \(TokenResponse.maximumTokenBytes) bytes")
      return nil
    }
    return token
  }

  /// Returns the refresh token.
  ///
  /// A lenient reader takes a number as it is written: the token can be had only once. That is noted.
  mutating func refreshToken() throws(SecretStoreError) -> String? {
    let name = "refresh_token"
    guard isLenient, case .number(let number)? = object[name],
      number.literal.utf8.count <= TokenResponse.maximumTokenBytes
    else { return try token(name) }
    odd.append(name)
    return number.literal
  }

  /// Returns a lifetime in whole seconds, from a number or a string of digits.
  ///
  /// A lifetime out of range is replaced by the nearest one in range, and any other value counts as absent. Both are
  /// noted. The refresh token of the same response must not be lost.
  private mutating func seconds(_ name: String) -> Int? {
    guard isGiven(name) else { return nil }
    guard let seconds = object[name]?.textValue.flatMap({ Double($0) })?.rounded(.down), !seconds.isNaN else {
      odd.append(name)
      return nil
    }
    let clamped = min(max(seconds, 0), Double(TokenResponse.maximumLifetime))
    if clamped != seconds { odd.append(name) }
    return Int(clamped)
  }

  /// Returns lifetimes in seconds, and points in time in seconds since 1970, by their names.
  ///
  /// A point in time that is neither a number nor a string of digits, or is before 1970, is left out.
  mutating func times(lifetimes: [String], points: [String]) -> [String: Int] {
    var times: [String: Int] = [:]
    for name in lifetimes { times[name] = seconds(name) }
    for name in points where isGiven(name) {
      let date = UnixTime.date(object[name])?.timeIntervalSince1970
      // No date can be as late as the largest numbers, which are clamped, too.
      let point = date ?? object[name]?.textValue.flatMap { Double($0) }
      guard let point, point >= 1, date != nil || point > Self.latest else {
        odd.append(name)
        continue
      }
      times[name] = Int(min(point, Self.latest))
    }
    return times
  }

  /// Returns whether a member is there and is neither null nor blank text.
  private func isGiven(_ name: String) -> Bool {
    guard let value = object[name], value != .null else { return false }
    return value.stringValue?.allSatisfy(\.isWhitespace) != true
  }

  private func problem(_ name: String, _ what: String) -> SecretStoreError {
    SecretStoreError(.invalidResponse, "The \(whole)'s \(name) \(what).")
  }
}
