// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel
import UnifiedCache

/// The sharing of a token cache with ADAL's apps.
struct ADALSharing: LegacySignIns {
  /// Whether ADAL's sign-ins are read.
  var isReading = false
  /// Whether responses are also saved in ADAL's format.
  var isSeeding = false

  /// ADAL supports Azure AD and AD FS only.
  func isRead(at authority: Authority) -> Bool {
    isReading && (authority.kind == .aad || authority.kind == .adfs)
  }

  func merged(
    _ accounts: [Account], with records: [Record], of client: LegacyClient?, _ aliases: EnvironmentAliases,
    isInUse: (Account) -> Bool, isHidden: (Account) -> Bool
  ) -> [Account] {
    let own = ADALAccounts(records, of: client, aliases)
    let shown = accounts.filter { !own.isSignedOut($0) || isInUse($0) }
    return own.merged(with: shown, excluding: isHidden)
  }

  func everyAccount(
    in records: [Record], besides known: [Account], _ aliases: EnvironmentAliases
  ) -> [Account] {
    let known = IndexedAccounts(known)
    return ADALStore.items(in: records).compactMap { item in
      guard item.token.kind != nil, let user = ADALUser(item.token),
        known.index(of: user, in: item.token.environment(aliases)) == nil
      else { return nil }
      return Account(item.token, aliases)
    }
  }

  func names(in records: [Record], _ aliases: EnvironmentAliases) -> [LegacyName] {
    ADALStore.items(in: records).compactMap { item in
      guard let user = ADALUser(item.token), let identifier = user.accountID else { return nil }
      return LegacyName(
        username: user.userID, environment: item.token.environment(aliases), identifier: identifier,
        isCertain: user.homeAccountID != nil)
    }
  }

  func positions(in documents: [CacheDocument]) -> (Account) -> [Int] {
    var users = ADALUserIndex<Int>()
    for (position, document) in documents.enumerated() {
      guard let token = document.adalToken, let user = ADALUser(token) else { continue }
      // The group may know aliases that the issuer doesn't show. Add the token to Microsoft's clouds as well.
      let issuer = Issuer(token.authority).map { [ADALUserIndex<Int>.Scope.issuer($0)] } ?? []
      users.add(position, of: user, in: issuer + (token.issuer == nil ? [.microsoft] : []))
    }
    return { [users] account in
      users.elements(of: account, in: Issuer(account.storageEnvironment).map { .issuer($0) } ?? .microsoft)
    }
  }

  func isItem(_ document: CacheDocument, of account: Account, _ aliases: EnvironmentAliases) -> Bool {
    document.adalToken?.isOf(account, aliases) == true
  }

  func refreshTokens(
    of account: Account, at authority: Authority, for client: LegacyClient, _ aliases: EnvironmentAliases
  ) async throws -> [RefreshTokenInUse] {
    var selection = ADALSelection(try await items(of: client), for: client.app, at: authority, aliases)
    selection.homeTenant = account.homeTenant
    let found = selection.refreshTokens { ADALUser($0)?.isSame(as: account) == true }
    return found.map { item in
      RefreshTokenInUse(
        secret: item.token.refreshToken ?? "", owner: item.key, signOutNumber: item.metadata.signOutNumber,
        revision: item.metadata.revision, readAt: item.readAt)
    }
  }

  func remove(_ token: RefreshTokenInUse, from backend: any TokenCacheBackend) async throws {
    try await ADALStore(backend: backend).reject(token.secret, in: token.owner)
  }

  func replace(
    _ token: RefreshTokenInUse, with secret: String, in backend: any TokenCacheBackend
  ) async throws -> Bool {
    try await backend.update(token.owner) { stored in
      guard var document = stored else { return false }
      guard document.metadata.signOutNumber == token.signOutNumber, var item = document.adalToken,
        item.refreshToken == token.secret
      else { return true }
      item.refreshToken = secret
      document.adalToken = item
      stored = document
      return true
    }
  }

  func username(in response: TokenResponse) -> String? { ADALUser(response)?.userID }

  func seed(
    _ response: TokenResponse, _ context: ResponseContext, at authority: Authority, for client: LegacyClient
  ) async {
    if isSeeding { await ADALCacheSeeder(client: client).seed(response, context, at: authority) }
  }

  func isSignedOut(
    of account: Account, for client: LegacyClient, _ aliases: EnvironmentAliases
  ) async throws -> Bool {
    ADALSignIns(items: try await items(of: client), app: client.app, aliases).isAppSignedOut(account)
  }

  func signOut(
    of account: Account, for client: LegacyClient, at now: Date, _ aliases: EnvironmentAliases
  ) async throws -> Bool {
    let store = ADALStore(backend: client.backend)
    let existed = try await store.signOut(
      client.app, recordedAs: client.app.map { ($0.name, now) }, where: { $0.isOf(account, aliases) },
      in: { try await items(of: client) })
    return try await store.removeUnusedFamilies(where: { $0.isOf(account, aliases) }, aliases) || existed
  }

  func signOutAllApps(
    of account: Account, clientID: String?, recordedAs signOut: (app: String, date: Date),
    in backend: any TokenCacheBackend, _ aliases: EnvironmentAliases
  ) async throws -> Bool {
    let store = ADALStore(backend: backend)
    if let clientID {
      return try await store.signOutAllApps(
        ofClient: clientID, recordedAs: signOut, where: { $0.isOf(account, aliases) }, aliases)
    }
    return try await store.signOut(
      nil, recordedAs: signOut, where: { $0.isOf(account, aliases) }, in: { try await store.items() })
  }

  private func items(of client: LegacyClient) async throws -> [ADALStore.Stored] {
    try await ADALStore(backend: client.backend).items(ofClient: client.clientID, families: client.families)
  }
}
