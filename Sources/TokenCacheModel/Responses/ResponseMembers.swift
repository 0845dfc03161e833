// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// Reads a token response's members, with errors that name the member and not its value.
struct ResponseMembers {
  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// A string member; blank and null count as absent.
  func text(_ name: String) throws(SecretStoreError) -> String? {
    switch object[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text.allSatisfy(\.isWhitespace) ? nil : text
    default: throw problem(name, "is not a string")
    }
  }

  /// A string member that is a token.
  func token(_ name: String) throws(SecretStoreError) -> String? {
    guard let token = try text(name) else { return nil }
    guard token.utf8.count <= TokenResponse.maximumTokenBytes else {
      throw problem(name, "is larger than \(TokenResponse.maximumTokenBytes) bytes")
    }
    return token
  }

  /// A lifetime, which servers send as a number or as a string of digits.
  func seconds(_ name: String) throws(SecretStoreError) -> Int? {
    switch object[name] {
    case nil, .null?: return nil
    case let value?:
      guard let literal = value.textValue,
        let seconds = Int(literal) ?? Double(literal).flatMap(Int.init(exactly:))
      else { throw problem(name, "is not a whole number of seconds") }
      guard (0...TokenResponse.maximumLifetime).contains(seconds) else {
        throw problem(name, "is negative or over ten years")
      }
      return seconds
    }
  }

  /// Lifetimes in seconds, and points in time in seconds since 1970, by their names.
  ///
  /// A point in time of another form than a number or a string of digits is left out.
  func times(lifetimes: [String], points: [String]) throws(SecretStoreError) -> [String: Int] {
    var times: [String: Int] = [:]
    for name in lifetimes { times[name] = try seconds(name) }
    for name in points {
      guard let date = UnixTime.date(object[name]), date.timeIntervalSince1970 >= 1 else { continue }
      times[name] = Int(date.timeIntervalSince1970)
    }
    return times
  }

  private func problem(_ name: String, _ what: String) -> SecretStoreError {
    SecretStoreError(.corruptItem, "The token response's \(name) \(what).")
  }
}
