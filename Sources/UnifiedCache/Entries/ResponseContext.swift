// SPDX-License-Identifier: MIT

package import FoundationEssentials

/// The request that a token response belongs to, and the time of the response.
package struct ResponseContext {
  package let clientID: String
  package let authority: Authority
  /// The host under which the entries are stored.
  package let environment: String
  package let scopes: Scopes
  var claims: String?
  package var applicationIdentifier: String?
  /// The caller's own partition of access tokens.
  var partition: String?
  var keyID: String?
  /// The identifier of the account that a refresh is for, or `nil` for a sign-in.
  var knownAccount: String?
  /// The hash of the user assertion, when a service requested the token on behalf of a user.
  package var userAssertionHash: String?
  /// The redeemed refresh token, or `nil` for a sign-in.
  package var redeemed: String?
  package let now: Date

  package init(
    clientID: String, authority: Authority, environment: String, scopes: Scopes, claims: String? = nil,
    applicationIdentifier: String? = nil, partition: String? = nil, keyID: String? = nil,
    knownAccount: String? = nil,
    redeemed: String? = nil, now: Date
  ) {
    self.clientID = clientID
    self.authority = authority
    self.environment = environment
    self.scopes = scopes
    self.claims = claims
    self.applicationIdentifier = applicationIdentifier
    self.partition = partition
    self.keyID = keyID
    self.knownAccount = knownAccount
    self.redeemed = redeemed
    self.now = now
  }

  /// Returns the tokens that no other member of the response may repeat.
  ///
  /// What the request names is no secret, and a server can issue it as a token.
  func tokens(_ tokens: [String?]) -> [String] {
    let names = [
      clientID, authority.url.absoluteString, scopes.target, claims, applicationIdentifier, partition, keyID,
      knownAccount,
    ].compactMap(\.self)
    return tokens.compactMap(\.self).filter { token in !names.contains { $0.contains(token) } }
  }

  /// Returns the environment for the entries of an authority.
  ///
  /// B2C tokens are stored under the requested host, even if it belongs to a cloud. All MSALs do this.
  package static func environment(_ authority: Authority, _ aliases: EnvironmentAliases = .shipped) -> String
  {
    authority.kind == .b2c ? authority.host : aliases.canonical(authority.storageEnvironment)
  }
}
