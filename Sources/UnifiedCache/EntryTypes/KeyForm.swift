// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON

/// The key under which an entry was read, and its environment then.
///
/// It is no part of the entry: entries with different origins are equal.
package struct KeyOrigin: Sendable, Hashable {
  let key: String?
  let environment: String

  init(_ key: String? = nil, at environment: String = "") {
    self.key = key
    self.environment = environment
  }

  /// Returns `true`.
  package static func == (left: KeyOrigin, right: KeyOrigin) -> Bool { true }

  /// Hashes nothing.
  package func hash(into hasher: inout Hasher) {}
}

/// The form of an entry's key, which differs between MSALs.
///
/// An MSAL replaces and removes an entry by the key in its own form. So an entry keeps the form that it came with.
package enum KeyForm: Hashable {
  /// This library's own: that of MSAL.NET and MSAL Java.
  case own
  /// MSAL Python's.
  case python
  /// That of another MSAL, for the entry that has this key in this library's form.
  case other(head: String, tail: String, own: String)
}

/// The maximum length of a key in another MSAL's form, in bytes.
private let maximumKeyBytes = 4096

extension IdentifiedEntry {
  /// The form of the key that the entry was read under; `nil` when that is the key of no MSAL.
  package var keyForm: KeyForm? {
    guard let key = origin.key else { return nil }
    let lower = key.lowercased()
    // An entry of another MSAL is kept under its issuer, and that MSAL's key names the issuer's host.
    let environment = origin.environment
    let hosts = [environment, Issuer(environment)?.hostName, Issuer.hostOfUnknown(environment)]
    for case let host? in hosts {
      let head = "\(keyStem)-"
      let environment = host.lowercased()
      guard lower.hasPrefix("\(head)\(environment)-".lowercased()) else { continue }
      let entry = under(host)
      if JSONText.equal(key, entry.key) { return .own }
      if JSONText.equal(key, entry.pythonKey) { return .python }
      // Another program may have made this key up.
      guard key.utf8.count <= maximumKeyBytes, !key.hasUnsafeCharacter else { return nil }
      let (start, end) = (head.utf8.count, head.utf8.count + environment.utf8.count)
      guard let start = key.utf8.index(key.startIndex, offsetBy: start, limitedBy: key.endIndex),
        let end = key.utf8.index(key.startIndex, offsetBy: end, limitedBy: key.endIndex),
        key[start..<end].lowercased() == environment
      else { return nil }
      return .other(head: String(key[..<start]), tail: String(key[end...]), own: under("").key)
    }
    return nil
  }

  /// Returns the entry's key in a form.
  ///
  /// Another MSAL's form can be kept only while nothing but the environment has changed.
  package func key(in form: KeyForm?) -> String {
    switch form {
    case .python: return pythonKey
    case .other(let head, let tail, let own) where own == under("").key:
      return "\(head)\(environment.lowercased())\(tail)"
    default: return key
    }
  }

  /// Returns the entry as one that was read under a key.
  func from(_ origin: KeyOrigin) -> Self {
    var entry = self
    entry.origin = origin
    return entry
  }

  /// Returns the entry under another host of its environment.
  package func under(_ host: String) -> Self {
    var entry = self
    entry.fields["environment"] = .string(host)
    return entry
  }
}
