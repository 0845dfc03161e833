// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON

/// A reader of a token response's members, whose errors contain the member's name and not its value.
struct ResponseMembers {
  private let object: JSONObject
  /// The name of the object in errors.
  private let whole: String

  init(_ object: JSONObject, of whole: String = "token response") {
    self.object = object
    self.whole = whole
  }

  /// Returns a string member; blank text and null count as absent.
  func text(_ name: String) throws(SecretStoreError) -> String? {
    switch object[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text.allSatisfy(\.isWhitespace) ? nil : text
    default: throw problem(name, "is not a string")
    }
  }

  /// Returns a string member that is an identifier; see `hasUnsafeCharacter`.
  func identifier(_ name: String) throws(SecretStoreError) -> String? {
    let text = try text(name)
    if text?.hasUnsafeCharacter == true {
      throw problem(name, "holds a control character or too many combining marks")
    }
    return text
  }

  /// Returns a string member that is a token, whose size is limited.
  func token(_ name: String) throws(SecretStoreError) -> String? {
    guard let token = try text(name) else { return nil }
    guard token.utf8.count <= TokenResponse.maximumTokenBytes else {
      throw problem(name, "is larger than \(TokenResponse.maximumTokenBytes) bytes")
    }
    return token
  }

  /// Returns a lifetime in whole seconds, from a number or a string of digits.
  ///
  /// An impossible lifetime counts as absent, so that the refresh token of the same response is not lost.
  private func seconds(_ name: String) -> Int? {
    guard let literal = object[name]?.textValue,
      let seconds = Int(literal) ?? Double(literal).flatMap({ Int(exactly: $0.rounded(.down)) }),
      (0...TokenResponse.maximumLifetime).contains(seconds)
    else { return nil }
    return seconds
  }

  /// Returns lifetimes in seconds, and points in time in seconds since 1970, by their names.
  ///
  /// A point in time that is neither a number nor a string of digits is left out.
  func times(lifetimes: [String], points: [String]) -> [String: Int] {
    var times: [String: Int] = [:]
    for name in lifetimes { times[name] = seconds(name) }
    for name in points {
      guard let date = UnixTime.date(object[name]), date.timeIntervalSince1970 >= 1 else { continue }
      times[name] = Int(date.timeIntervalSince1970)
    }
    return times
  }

  private func problem(_ name: String, _ what: String) -> SecretStoreError {
    SecretStoreError(.invalidResponse, "The \(whole)'s \(name) \(what).")
  }
}
