// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import UnifiedCache

/// The inputs that determine the choice of an access token, apart from the record and the time.
struct TokenResultCacheKey: Hashable, Sendable {
  let app: AppIdentifier?
  let identifier: String
  let environment: String
  let host: String
  let issuer: Issuer?
  let path: [String]
  let kind: Authority.Kind
  let tenant: String?
  let scopes: Scopes
  let tokenType: String?
  let keyID: String?
  let applicationIdentifier: String?
  let partition: String?
  let expiryBuffer: TimeInterval

  /// Creates a key; `nil` for a call that ignores the access tokens in the cache.
  init?(_ parameters: SilentParameters, of cache: TokenCache) {
    guard !parameters.forceRefresh, parameters.claims == nil else { return nil }
    let authority = parameters.authority ?? cache.authority
    app = cache.app
    identifier = parameters.account.identifier
    environment = parameters.account.storageEnvironment
    host = authority.host
    issuer = authority.issuer
    path = authority.path
    kind = authority.kind
    tenant = parameters.tenant
    scopes = parameters.scopes
    tokenType = parameters.scheme.tokenType
    keyID = parameters.scheme.keyID
    applicationIdentifier = cache.options.applicationIdentifier
    partition = cache.options.partition
    expiryBuffer = cache.options.expiryBuffer
  }
}
