// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel
import UnifiedCache

/// One silent ADAL call: it tries ADAL's own items first, then MSAL's refresh tokens.
struct ADALAcquisition: Sendable {
  let cache: ADALTokenCache
  let resource: String
  let userID: String?
  let authority: Authority

  func run() async throws -> ADALResult {
    let selection = try await selection()
    let user = try onlyUser(in: selection)
    if let found = cached(in: selection, of: user) { return try await deliver(found) }
    var refusal: SecretStoreError?
    var refused: Set<String> = []
    if let endpoint = cache.endpoint {
      for item in selection.refreshTokens(for: resource, of: user) {
        let secret = item.token.refreshToken ?? ""
        if refused.contains(secret) { continue }
        do {
          if let result = try await redeem(item, of: user, at: endpoint) { return result }
        } catch let error as SecretStoreError
          where error.code == .interactionRequired && error.underlying is OAuthError
        {
          refusal = error
          refused.insert(secret)
        }
      }
    }
    do {
      if let result = try await unifiedResult(of: user, besides: refused) { return result }
    } catch let error as SecretStoreError where error.code == .interactionRequired {
      throw refusal ?? error
    }
    if let refusal { throw refusal }
    let notice = await removalNotice(user)
    throw SilentAcquisition.interaction("The cache holds no token for the resource and user.\(notice)")
  }

  /// Returns which other app removed the user's tokens, or everything from the group, and when; otherwise an empty text.
  private func removalNotice(_ user: String?) async -> String {
    let items = (try? await cache.store.itemsWithFamily(ofClient: cache.clientID)) ?? []
    let own = items.filter { user == nil || Username($0.token.userID).compared == Username(user).compared }
    if own.isEmpty { return await SilentAcquisition.wipeNotice(in: cache.backend) }
    let signOuts = own.compactMap { item in item.metadata.signOut.map { (item.metadata, $0.date) } }
    // An item that was signed in again, or refused, since has none.
    guard signOuts.count == own.count, let last = signOuts.max(by: { $0.1 < $1.1 }) else { return "" }
    return last.0.removalNotice(for: cache.app)
  }

  /// Reads the items that are stored now.
  func selection() async throws -> ADALSelection {
    ADALSelection(
      try await cache.store.itemsWithFamily(ofClient: cache.clientID), for: cache.app, at: authority,
      try await cache.unified(authority).aliases(for: authority))
  }

  /// Returns the requested user, else the only one; `nil` when there is none.
  private func onlyUser(in selection: ADALSelection) throws(SecretStoreError) -> String? {
    if let userID { return userID }
    let users = selection.users
    guard users.count <= 1 else {
      throw SecretStoreError(.ambiguousAccount, "Several users are there; name one by the user's id.")
    }
    return users.first
  }

  func cached(in selection: ADALSelection, of user: String?) -> ADALStore.Stored? {
    let limit = cache.options.clock.now().addingTimeInterval(cache.options.expiryBuffer)
    return selection.accessToken(
      resource, of: user, app: cache.options.applicationIdentifier, after: limit)
  }

  /// Returns a cached token; on the app's first use of it, marks the app as signed in on all items of the user.
  func deliver(_ found: ADALStore.Stored) async throws -> ADALResult {
    var saveError: SecretStoreError?
    if found.metadata[cache.app] == nil {
      do {
        let items = try await cache.store.items(ofClient: cache.clientID)
        let user = Username(found.token.userID).compared
        for item in items
        where Username(item.token.userID).compared == user && item.metadata[cache.app] == nil {
          try await cache.backend.update(item.key) { [app = cache.app] stored in
            if stored?.adalToken?.kind != nil && stored?.metadata[app] == nil {
              stored?.metadata[app] = .signedIn
            }
          }
        }
      } catch let error as SecretStoreError {
        saveError = error
      }
    }
    guard
      let result = ADALResult(
        found.token, user: ADALUser(found.token), source: .cache, saveError: saveError)
    else { throw SilentAcquisition.interaction("The cache holds no token for the resource and user.") }
    return result
  }

  /// Redeems an item's refresh token under its lease.
  ///
  /// If the server refuses it and another one is stored in the item by then, that one is redeemed: an app that shares
  /// no locks may have redeemed the first one meanwhile.
  ///
  /// - Returns: The token; `nil` when the item has no refresh token any more.
  private func redeem(
    _ item: ADALStore.Stored, of user: String?, at endpoint: any TokenEndpoint
  ) async throws -> ADALResult? {
    try await cache.backend.withRefreshLease(on: item.key) { () async throws -> ADALResult? in
      var last: (token: String, error: SecretStoreError)?
      for _ in 1...2 {
        let selection = try await selection()
        if let found = cached(in: selection, of: user) { return try await deliver(found) }
        guard let now = selection.items.first(where: { $0.key == item.key }),
          let token = now.token.refreshToken, token != last?.token
        else { break }
        do {
          return try await Task { try await refresh(now, at: endpoint) }.value
        } catch let error as SecretStoreError
          where error.code == .interactionRequired && error.underlying is OAuthError
        {
          last = (token, error)
        }
      }
      if let last { throw last.error }
      return nil
    }
  }
}
