// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The claims of an id token, read and not verified.
///
/// The token comes straight from the token endpoint over TLS, where OpenID Connect Core 1.0 section 3.1.3.7 lets
/// a client trust it without checking the signature. Never use this on a token from anywhere else.
public struct IDTokenClaims: Sendable, Hashable {
  /// All of the claims.
  public let claims: JSONObject

  /// Decodes a JWT's payload.
  ///
  /// - Throws: `corruptItem` when it does not have three parts, or the middle one is not base64url of a JSON
  ///   object.
  public init(token: String) throws(SecretStoreError) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
      let object = JSONValue.lenientObject(bytes)
    else { throw SecretStoreError(.corruptItem, "The id token is not a JWT with a JSON object as payload.") }
    self.claims = object
  }

  /// The claim of a name, when it is a non-empty string.
  public subscript(name: String) -> String? {
    guard let text = claims[name]?.stringValue, !text.isEmpty else { return nil }
    return text
  }

  /// The account's id at its provider, `sub`.
  public var subject: String? { self["sub"] }

  /// The tenant that issued the token, `tid`.
  public var tenantID: String? { self["tid"] }

  /// The account's id in the tenant: `oid`, else `sub`.
  public var localAccountID: String? { self["oid"] ?? self["sub"] }

  /// What a person knows the account by: the first of `preferred_username`, `upn`, `email` and `unique_name`.
  public var username: String? {
    self["preferred_username"] ?? self["upn"] ?? self["email"] ?? self["unique_name"]
  }
}

extension JSONValue {
  /// The object that the bytes hold, or `nil` when they are no JSON or another kind of value.
  static func lenientObject(_ bytes: [UInt8]) -> JSONObject? {
    (try? JSONValue(parsing: bytes))?.objectValue
  }
}
