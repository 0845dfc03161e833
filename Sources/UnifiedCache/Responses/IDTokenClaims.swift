// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import StrictJSON

/// The claims of an ID token, which are not verified.
///
/// The token comes directly from the token endpoint over TLS. In that case OpenID Connect Core 1.0 section 3.1.3.7
/// allows a client to trust it without checking the signature. Never use this type for a token from anywhere else.
public struct IDTokenClaims: Sendable, Hashable {
  /// All claims.
  public let claims: JSONObject

  /// Decodes the payload of a JWT.
  ///
  /// - Throws: `invalidResponse` when it does not have three parts, or the middle one is not base64url of a JSON
  ///   object.
  public init(token: String) throws(SecretStoreError) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
      let object = JSONValue.lenientObject(bytes)
    else {
      throw SecretStoreError(.invalidResponse, "The id token is not a JWT with a JSON object as payload.")
    }
    self.claims = object
  }

  /// The claim with a name, if it is a non-empty string.
  public subscript(name: String) -> String? {
    guard let text = claims[name]?.stringValue, !text.isEmpty else { return nil }
    return text
  }

  /// The account's ID at its provider, `sub`.
  public var subject: String? { self["sub"] }

  /// The tenant that issued the token, `tid`.
  public var tenantID: String? { self["tid"] }

  /// The account's ID in the tenant: `oid`, else `sub`.
  public var localAccountID: String? { self["oid"] ?? self["sub"] }

  /// The user name: the first of `preferred_username`, `upn`, `email` and `unique_name`.
  public var username: String? {
    self["preferred_username"] ?? self["upn"] ?? self["email"] ?? self["unique_name"]
  }
}

extension JSONValue {
  /// Returns the JSON object in the bytes; `nil` when they are not JSON or another kind of value.
  package static func lenientObject(_ bytes: [UInt8]) -> JSONObject? {
    (try? JSONValue(parsing: bytes))?.objectValue
  }
}
