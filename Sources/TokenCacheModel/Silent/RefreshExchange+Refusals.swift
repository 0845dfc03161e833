// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// What a refused refresh leaves behind. None of it is worth failing for: the refusal is what the caller hears of.
extension RefreshExchange {
  /// Acts upon a refusal.
  func take(_ refusal: OAuthError, _ token: RefreshTokenInUse) async {
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
