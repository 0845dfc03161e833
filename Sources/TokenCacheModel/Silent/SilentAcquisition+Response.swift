// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// What a request of the call asks for, and the check of the response.
extension SilentAcquisition {
  /// The authority that the request is sent to, for the requested tenant or else the account's home tenant.
  var requestAuthority: Authority {
    if let tenant = parameters.tenant { return authority.forTenant(tenant) }
    return authority.resolved(for: account)
  }

  /// The context of a response to this call's request.
  var responseContext: ResponseContext {
    ResponseContext(
      clientID: cache.clientID, authority: requestAuthority,
      environment: ResponseContext.environment(requestAuthority, aliases), scopes: parameters.scopes,
      claims: parameters.claims, applicationIdentifier: cache.options.applicationIdentifier,
      partition: cache.options.partition, keyID: parameters.scheme.keyID,
      knownAccount: account.identifier.isEmpty ? nil : account.identifier,
      now: cache.clock.now())
  }

  /// Throws `serverError` when the token has another scheme or tenant than requested.
  ///
  /// The token stays in the cache for calls that ask for that scheme or tenant.
  func check(_ token: CredentialEntry) throws(SecretStoreError) {
    if token.scheme != parameters.scheme.tokenType?.lowercased() ?? "" {
      throw SecretStoreError(
        .serverError, "The server's response has a token of another scheme than requested.")
    }
    if let tenant = parameters.tenant?.lowercased(), HomeAccountID.isGUID(tenant[...]),
      token.realm?.lowercased() != tenant
    {
      throw SecretStoreError(
        .serverError, "The server's response has a token of another tenant than requested.")
    }
  }
}
