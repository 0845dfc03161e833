// SPDX-License-Identifier: MIT

import FoundationEssentials
package import KeychainGroupModel
import StrictJSON

/// The access tokens of responses.
extension CredentialEntry {
  /// Creates the access token of a response; `nil` when the response has none.
  ///
  /// - Parameters:
  ///   - homeAccountID: The account, or `nil` for a token of the client itself.
  ///   - tokens: The tokens of the response, which no other member may repeat.
  init?(
    accessTokenOf response: TokenResponse, _ context: ResponseContext, homeAccountID: String?, realm: String,
    without tokens: [String]
  ) {
    guard let secret = response.accessToken else { return nil }
    let type = response.tokenType.repeats(any: tokens) ? "Bearer" : response.tokenType
    let isBearer = type.lowercased() == "bearer"
    self.init(
      kind: isBearer ? .accessToken : .accessTokenWithAuthScheme, homeAccountID: homeAccountID ?? "",
      environment: context.environment, clientID: context.clientID, secret: secret)
    // MSAL Python finds a client's own token by this null.
    if homeAccountID == nil { fields["home_account_id"] = .null }
    self.realm = realm
    scopes = response.scopes?.withoutRepeated(tokens) ?? context.scopes
    requestedDefaults = context.scopes.defaults.subtracting(scopes)
    requestedClaims = context.claims
    applicationIdentifier = context.applicationIdentifier
    cachePartition = context.partition
    userAssertionHash = context.userAssertionHash
    keyID = isBearer ? nil : context.keyID
    tokenType = isBearer ? nil : type
    cachedAt = context.now
    expiresOn = response.expiry(at: context.now)
    extendedExpiresOn = response.extendedExpiry(at: context.now)
    refreshOn = response.refreshTime(at: context.now)
  }

  /// Creates the access token of a response to a client's request for itself (client credentials).
  ///
  /// - Throws: `serverError` for a response without an access token; `invalidArgument` for an authority without a
  ///   tenant, and when an identifier of the entry holds a control character.
  package init(appTokenOf response: TokenResponse, _ context: ResponseContext) throws(SecretStoreError) {
    try Self.requireTenant(ofAppToken: context.authority)
    let tokens = context.tokens([response.accessToken, response.refreshToken])
    guard
      let entry = CredentialEntry(
        accessTokenOf: response, context, homeAccountID: nil, realm: context.authority.realm, without: tokens)
    else { throw SecretStoreError(.serverError, "The token endpoint's response has no access token.") }
    try entry.checkIdentifiers()
    self = entry
  }

  /// Throws `invalidArgument` for an authority without a tenant, which has no tokens of a client itself.
  package static func requireTenant(ofAppToken authority: Authority) throws(SecretStoreError) {
    guard authority.isTenantless else { return }
    throw SecretStoreError(.invalidArgument, "A client's own token needs an authority with a tenant.")
  }

  /// Throws `invalidArgument` when an identifier holds a control character or too many combining marks.
  func checkIdentifiers() throws(SecretStoreError) {
    if let unsafe = IdentifyingMembers.credential.unsafe(in: fields) {
      throw Self.unsafeCharacter(in: unsafe)
    }
  }

  static func unsafeCharacter(in member: String) -> SecretStoreError {
    SecretStoreError(
      .invalidArgument,
      "What is to be saved has a \(member) with a control character or too many combining marks.")
  }
}
