// SPDX-License-Identifier: MIT

import StrictJSON

/// The members that distinguish credentials of the same account, client and tenant.
///
/// The MSALs of different languages spell some of these members differently.
extension CredentialEntry {
  /// The claims with which an access token was requested.
  ///
  /// MSAL Node spells the member `requestedClaims`.
  public package(set) var requestedClaims: String? {
    get { text("requested_claims") ?? text("requestedClaims") }
    set { fields["requested_claims"] = newValue.map(JSONValue.string) }
  }
  /// The app that an access token is reserved for.
  public package(set) var applicationIdentifier: String? {
    get { text("application_cache_identifier") }
    set { fields["application_cache_identifier"] = newValue.map(JSONValue.string) }
  }
  /// The ID of the key that an access token is bound to.
  ///
  /// The member is `kid` in MSAL.NET and on Apple's systems, `key_id` in Python, `keyid` in Go, and `keyId` in Node.
  public package(set) var keyID: String? {
    get { text("kid") ?? text("key_id") ?? text("keyid") ?? text("keyId") }
    set { fields["kid"] = newValue.map(JSONValue.string) }
  }
  /// The caller's own partition that an access token is in.
  ///
  /// This member is this package's own.
  public package(set) var cachePartition: String? {
    get { text("cache_partition") }
    set { fields["cache_partition"] = newValue.map(JSONValue.string) }
  }
  /// The hash of the user assertion for which a service got the credential on behalf of a user.
  ///
  /// See OAuth 2.0 Token Exchange (RFC 8693) and the on-behalf-of flow of Azure AD. Each assertion has its own
  /// credentials. They sign nobody in, and no silent call uses them.
  public package(set) var userAssertionHash: String? {
    get { text("user_assertion_hash").flatMap { $0.isEmpty ? nil : $0 } }
    set { fields["user_assertion_hash"] = newValue.map(JSONValue.string) }
  }

  /// Returns the hash of a user assertion: its SHA-256 in base64url, as in MSAL.NET.
  package static func hash(ofAssertion assertion: String) -> String {
    Base64URL.encode(Digest.bytes(assertion))
  }

  /// The device that a refresh token is bound to.
  public var boundDeviceID: String? { text("bound_device_id") }

  /// The authentication scheme of an access token in lower case, empty for a bearer token.
  package var scheme: String {
    let type = tokenType?.lowercased() ?? ""
    return type == "bearer" ? "" : type
  }

  /// The `.default` scopes with which an access token was requested.
  ///
  /// This member is this package's own. It is needed because servers return the scopes that `.default` stands for.
  package var requestedDefaults: Scopes {
    get { Scopes(target: text("requested_default") ?? "") }
    set { fields["requested_default"] = newValue.isEmpty ? nil : .string(newValue.target) }
  }

  /// The scopes that this token satisfies when they are requested.
  package var satisfiedScopes: Scopes { scopes.union(requestedDefaults) }

  /// The key by which another MSAL distinguishes an access token from others with the same scopes.
  ///
  /// MSAL Go, .NET and Python find such a token only by this key. It is `nil` when `markForPeers()` set it.
  public var extendedCacheKey: String? {
    guard let key = text("ext_cache_key"), key != Self.digest(ownPartition) else { return nil }
    return key
  }

  private var ownPartition: [String?] {
    [requestedClaims, applicationIdentifier, keyID] + (cachePartition.map { [$0] } ?? [])
  }

  /// The values that distinguish access tokens beyond tenant and scopes, bound refresh tokens beyond the client, and
  /// the credentials of each user assertion.
  ///
  /// The array is empty when there are none.
  package var partition: [String?] {
    var values = kind == .boundRefreshToken ? [boundDeviceID] : []
    if kind.isAccessToken { values = ownPartition + [extendedCacheKey] }
    if values.allSatisfy({ $0 == nil }) { values = [] }
    if let userAssertionHash { values += ["assertion", userAssertionHash] }
    return values
  }

  /// Returns a short digest of a partition, for keys.
  package static func digest(_ partition: [String?]) -> String {
    String(Digest.hex(partition.map { $0 ?? "" }.joined(separator: "\u{1F}")).prefix(16))
  }

  /// Sets `ext_cache_key` on a token that only Apple's MSAL and this package can distinguish from others.
  ///
  /// Other MSALs then skip the token.
  ///
  /// - Returns: Whether it is such a token.
  package mutating func markForPeers() -> Bool {
    guard kind.isAccessToken else { return false }
    let members = ["requested_claims", "application_cache_identifier", "kid", "cache_partition"]
    let isDistinguished = members.contains { text($0) != nil }
    if isDistinguished && text("ext_cache_key") == nil {
      fields["ext_cache_key"] = .string(Self.digest(ownPartition))
    }
    return isDistinguished
  }
}
