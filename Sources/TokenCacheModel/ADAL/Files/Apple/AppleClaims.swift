// SPDX-License-Identifier: MIT

/// The claims of an id token, as ADAL for iOS and macOS reads the user from them.
struct AppleClaims {
  let claims: JSONObject

  init(_ claims: JSONObject) { self.claims = claims }

  /// The claim of a name, when it is a text and not empty.
  subscript(name: String) -> String? {
    guard let text = claims[name]?.stringValue, !text.isEmpty else { return nil }
    return text
  }

  /// The user's object id, else the subject.
  var uniqueID: String? { self["oid"] ?? self["sub"] }

  /// Whether a name is among the claims that is fit to be shown.
  var namesUser: Bool { self["upn"] != nil || self["email"] != nil }

  /// What ADAL calls the user.
  var userID: String? { self["upn"] ?? self["email"] ?? self["sub"] }
}
