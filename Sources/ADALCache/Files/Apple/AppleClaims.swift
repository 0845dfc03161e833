// SPDX-License-Identifier: MIT

import StrictJSON

/// The claims of an ID token, read as ADAL for iOS and macOS does.
struct AppleClaims {
  let claims: JSONObject

  init(_ claims: JSONObject) { self.claims = claims }

  /// The claim with a name, if it is a string and not empty.
  subscript(name: String) -> String? {
    guard let text = claims[name]?.stringValue, !text.isEmpty else { return nil }
    return text
  }

  /// The user's object ID, else the subject.
  var uniqueID: String? { self["oid"] ?? self["sub"] }

  /// Whether the claims have a displayable user name.
  var namesUser: Bool { self["upn"] != nil || self["email"] != nil }

  /// ADAL's ID of the user.
  var userID: String? { self["upn"] ?? self["email"] ?? self["sub"] }
}
