// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// What a refused refresh leaves behind. None of it is worth failing for: the refusal is what the caller hears of.
extension RefreshExchange {
  /// Why the request is not to be sent now, as this app or another learnt a short while ago.
  func throttled(_ request: TokenRequest, _ token: RefreshTokenInUse) async -> OAuthError? {
    let document = try? await cache.backend.record(for: Throttling.record)?.document()
    return Throttling(in: document).refusal(of: thumbprints(request, token), at: cache.clock.now())
  }

  /// How long the server is left alone after a refusal: as it says, at most an hour; a minute when it is busy or
  /// broken and doesn't say.
  func delay(after refusal: OAuthError, _ reply: TokenEndpointReply) -> TimeInterval? {
    guard refusal.isOutage || reply.retryAfter != nil else { return nil }
    let delay = reply.retryDelay(at: cache.clock.now()) ?? Throttling.defaultDelay
    return min(delay, Throttling.maximumDelay)
  }

  /// Acts upon a refusal.
  func take(_ refusal: OAuthError, of request: TokenRequest, _ token: RefreshTokenInUse) async {
    if let delay = refusal.retryAfter {
      await remember(refusal, thumbprints(request, token).server, for: delay)
    } else if refusal.asksForInteraction {
      await remember(refusal, thumbprints(request, token).full, for: Throttling.refusalDelay)
    }
    guard refusal.code == "invalid_grant" else { return }
    switch refusal.suberror {
    case "bad_token": try? await remove(token)
    case "client_mismatch": if token.isFamilys { try? await leaveFamily() }
    case "user_account_deleted":
      try? await remove(token)
      try? await forgetAccount(unlessReplacing: token)
    default: break
    }
  }

  private func thumbprints(_ request: TokenRequest, _ token: RefreshTokenInUse) -> Throttling.Thumbprints {
    Throttling.Thumbprints(request, account: account, revision: token.revision)
  }

  private func remember(_ refusal: OAuthError, _ thumbprint: String, for delay: TimeInterval) async {
    let now = cache.clock.now()
    _ = try? await cache.backend.update(Throttling.record) { stored in
      var document = stored ?? CacheDocument()
      var throttling = Throttling(in: document)
      throttling.note(refusal, for: thumbprint, until: now.addingTimeInterval(delay), now: now)
      throttling.write(to: &document)
      stored = document
    }
  }

  /// Removes the refresh token that was refused, unless another one is stored by now.
  private func remove(_ token: RefreshTokenInUse) async throws {
    if token.owner.kind == .legacy {
      return try await ADALStore(backend: cache.backend).reject(token.secret, in: token.owner)
    }
    try await cache.backend.update(token.owner) { stored in
      stored?.removeCredentials { $0.kind.section == .refreshToken && $0.secret == token.secret }
      if token.isFamilys && stored?.hasTokens == false { stored = nil }
    }
  }

  /// Records that the client is in no family, for every account: the server says so, whatever its metadata said.
  private func leaveFamily() async throws {
    let metadata = AppMetadataEntry(
      clientID: cache.clientID, environment: acquisition.clientRecord.environment, familyID: nil)
    try await cache.backend.update(acquisition.clientRecord) { stored in
      var document = stored ?? CacheDocument()
      document.put(metadata)
      stored = document
    }
    let records = try await cache.backend.records(matching: .credentials(ofClient: cache.clientID))
    for record in records where record.key.environment == acquisition.key.environment {
      try await cache.backend.update(record.key) { $0?.put(metadata) }
    }
  }

  /// Removes what this client holds of an account that is no more, unless somebody signed in to it meanwhile.
  private func forgetAccount(unlessReplacing token: RefreshTokenInUse) async throws {
    try await cache.backend.update(acquisition.key) { stored in
      let isNew = stored?.credentials.contains { $0.kind == .refreshToken && $0.secret != token.secret }
      if isNew == true { return }
      stored?.removeTokensAndAccounts()
      stored?.sharing.forgetApps()
      stored?.sharing.epoch += 1
    }
  }
}
