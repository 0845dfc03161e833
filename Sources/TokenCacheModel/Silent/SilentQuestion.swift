// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// What the choice of an access token depends on, beside what is stored and the time.
struct SilentQuestion: Hashable, Sendable {
  let app: AppIdentifier?
  let identifier: String
  let environment: String
  let host: String
  let path: [String]
  let kind: Authority.Kind
  let tenant: String?
  let scopes: Scopes
  let tokenType: String?
  let keyID: String?
  let applicationIdentifier: String?
  let expiryBuffer: TimeInterval

  /// `nil` for a call that passes over the access tokens in the cache.
  init?(_ parameters: SilentParameters, of cache: TokenCache) {
    guard !parameters.forceRefresh, parameters.claims == nil else { return nil }
    let authority = parameters.authority ?? cache.authority
    app = cache.app
    identifier = parameters.account.identifier
    environment = parameters.account.environment
    host = authority.host
    path = authority.path
    kind = authority.kind
    tenant = parameters.tenant
    scopes = parameters.scopes
    tokenType = parameters.scheme.tokenType
    keyID = parameters.scheme.keyID
    applicationIdentifier = cache.options.applicationIdentifier
    expiryBuffer = cache.options.expiryBuffer
  }
}
