// SPDX-License-Identifier: MIT

import FoundationEssentials

@testable import TokenCacheModel

extension TokenEntries {
  /// What a response becomes under an authority of the shipped clouds, for no claims and no app of its own.
  init(
    _ response: TokenResponse, clientID: String, authority: Authority, requested: Scopes, known: Account?,
    now: Date
  ) throws {
    try self.init(
      response,
      ResponseContext(
        clientID: clientID, authority: authority, environment: ResponseContext.environment(authority),
        scopes: requested, known: known, now: now))
  }
}
