// SPDX-License-Identifier: MIT

/// The members that tell credentials of one account, client and tenant apart, in the spellings of five languages.
extension CredentialEntry {
  /// The claims that an access token was asked for with.
  ///
  /// MSAL for Node spells the member `requestedClaims`.
  public internal(set) var requestedClaims: String? {
    get { text("requested_claims") ?? text("requestedClaims") }
    set { fields["requested_claims"] = newValue.map(JSONValue.string) }
  }
  /// The app that an access token was partitioned for.
  public internal(set) var applicationIdentifier: String? {
    get { text("application_cache_identifier") }
    set { fields["application_cache_identifier"] = newValue.map(JSONValue.string) }
  }
  /// The key that an access token is bound to.
  ///
  /// It is `kid` with MSAL.NET and on Apple's systems, `key_id` with Python, `keyid` with Go, and `keyId` with Node.
  public internal(set) var keyID: String? {
    get { text("kid") ?? text("key_id") ?? text("keyid") ?? text("keyId") }
    set { fields["kid"] = newValue.map(JSONValue.string) }
  }
  /// The device that a refresh token is bound to.
  public var boundDeviceID: String? { text("bound_device_id") }

  /// The scheme of an access token in lower case; empty for a bearer token.
  var scheme: String {
    let type = tokenType?.lowercased() ?? ""
    return type == "bearer" ? "" : type
  }

  /// The `.default` scopes that an access token was asked for with, a member of our own: servers answer with
  /// the scopes that they stand for.
  var requestedDefaults: Scopes {
    get { Scopes(target: text("requested_default") ?? "") }
    set { fields["requested_default"] = newValue.isEmpty ? nil : .string(newValue.target) }
  }

  /// The scopes that a request may ask for and be answered with this token.
  var answeredScopes: Scopes { scopes.union(requestedDefaults) }

  /// The key by which a peer keeps an access token apart from those of the same scopes; `nil` for our own mark.
  ///
  /// MSAL Go, .NET and Python find such a token by that very key only.
  public var extendedCacheKey: String? {
    guard let key = text("ext_cache_key"), key != Self.digest(ownPartition) else { return nil }
    return key
  }

  private var ownPartition: [String?] { [requestedClaims, applicationIdentifier, keyID] }

  /// What tells access tokens apart beyond tenant and scopes, and bound refresh tokens beyond the client; or nothing.
  var partition: [String?] {
    if kind == .boundRefreshToken { return boundDeviceID.map { [$0] } ?? [] }
    guard kind.isAccessToken else { return [] }
    let values = ownPartition + [extendedCacheKey]
    return values.allSatisfy { $0 == nil } ? [] : values
  }

  /// A short digest of a partition, for keys.
  static func digest(_ partition: [String?]) -> String {
    String(Digest.hex(partition.map { $0 ?? "" }.joined(separator: "\u{1F}")).prefix(16))
  }

  /// Marks a token that only Apple's MSAL and this package tell apart, so that a peer which doesn't skips it.
  ///
  /// - Returns: Whether it is such a token.
  mutating func markForPeers() -> Bool {
    guard kind.isAccessToken else { return false }
    let isOurs = ["requested_claims", "application_cache_identifier", "kid"].contains { text($0) != nil }
    if isOurs && text("ext_cache_key") == nil { fields["ext_cache_key"] = .string(Self.digest(ownPartition)) }
    return isOurs
  }
}
