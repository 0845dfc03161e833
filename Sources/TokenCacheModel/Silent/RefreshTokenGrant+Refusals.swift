// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// Changes to the cache after a refused refresh. Their errors are ignored: the caller gets the refusal.
extension RefreshTokenGrant {
  /// Updates the cache after a refusal with `invalid_grant`, depending on its `suberror`.
  func apply(_ refusal: OAuthError, to token: RefreshTokenInUse) async {
    guard refusal.code == "invalid_grant" else { return }
    switch refusal.suberror {
    case "bad_token": try? await remove(token)
    case "client_mismatch": if token.isSharedByFamily { try? await leaveFamily() }
    case "user_account_deleted":
      try? await remove(token)
      try? await forgetAccount(unlessReplacing: token)
    default: break
    }
  }

  /// Removes the refused refresh token, unless another one is stored by now.
  ///
  /// Its record stays. A family's record that is gone means that the account was signed out, and then the response to
  /// another app, which has redeemed the token before, would be dropped.
  private func remove(_ token: RefreshTokenInUse) async throws {
    if token.owner.kind == .legacy {
      try await cache.options.legacySignIns?.remove(token, from: cache.backend)
      return
    }
    try await cache.backend.update(token.owner) { stored in
      stored?.removeCredentials { $0.kind.section == .refreshToken && $0.secret == token.secret }
    }
  }

  /// Records for every account that the client is in no family: the server's error overrides the stored app metadata.
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

  /// Removes this client's data of an account that was deleted, unless a new sign-in has stored another refresh token.
  private func forgetAccount(unlessReplacing token: RefreshTokenInUse) async throws {
    try await cache.backend.update(acquisition.key) { stored in
      let isNew = stored?.credentials.contains { $0.kind == .refreshToken && $0.secret != token.secret }
      if isNew == true { return }
      stored?.removeTokensAndAccounts()
      stored?.metadata.forgetApps()
      stored?.metadata.raiseSignOutNumber()
    }
  }
}
