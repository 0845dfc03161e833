// SPDX-License-Identifier: MIT

import FoundationEssentials

@testable import TokenCacheModel
@testable import UnifiedCache

extension TokenEntries {
  /// The entries of a response under an authority of the built-in clouds, without claims and without an app partition.
  init(
    _ response: TokenResponse, clientID: String, authority: Authority, requested: Scopes, known: Account?,
    now: Date
  ) throws {
    try self.init(
      response,
      ResponseContext(
        clientID: clientID, authority: authority, environment: ResponseContext.environment(authority),
        scopes: requested, knownAccount: known?.identifier, now: now))
  }
}
