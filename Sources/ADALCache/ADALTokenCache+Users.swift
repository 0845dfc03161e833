// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel
public import UnifiedCache

extension ADALTokenCache {
  /// Returns the users that this app can get a token for silently, sorted by user ID.
  ///
  /// These are the users of this client's refresh and access tokens and of its family's refresh tokens, except
  /// those that this app signed out of. With ``ADALGeneration/bothFormats``, MSAL's accounts of the client and its
  /// family are included. Items that can't be read are skipped.
  ///
  /// - Throws: Errors of the back end.
  public func users() async throws -> [ADALUser] {
    let items = try await store.itemsWithFamily(ofClient: clientID)
    let aliases = try await unified(authority).aliases(for: authority)
    var users: [String: ADALUser] = [:]
    func add(_ user: ADALUser) {
      let name = Username(user.userID).compared
      if users[name]?.homeAccountID == nil { users[name] = user }
    }
    for item in ADALSelection(items, for: app, at: authority, aliases).items { ADALUser(item.token).map(add) }
    if generation == .bothFormats {
      let signIns = ADALSignIns(items: items, app: app, aliases)
      let owners = ADALUserIndex(items, aliases)
      for account in try await unifiedAccounts(authority)
      where !account.username.isEmpty && !signIns.isAppSignedOut(items: owners.items(of: account, aliases)) {
        add(ADALUser(userID: account.username, homeAccountID: account.identifier))
      }
    }
    return users.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns the stored items of this client and its family that this app may use.
  ///
  /// - Parameter userID: The user; `nil` for all users.
  public func items(userID: String? = nil) async throws -> [ADALToken] {
    let items = try await store.itemsWithFamily(ofClient: clientID)
    let aliases = try await unified(authority).aliases(for: authority)
    return ADALSelection(items, for: app, at: authority, aliases).items.map(\.token).filter {
      userID == nil || Username($0.userID).compared == Username(userID).compared
    }
  }

  /// Signs this app out of a user's account, but no other app, even one with the same client ID.
  ///
  /// From then on this app gets no token for the user until it signs in again. When the last app that uses the
  /// tokens signs out, they are removed and a tombstone remains. With ``ADALGeneration/bothFormats``, the app is
  /// also signed out of MSAL's accounts with that user name, however many there are.
  ///
  /// Users of other issuers are not affected. The cache of an OpenID provider signs out of users of its own
  /// ``Issuer`` only. A cache of a Microsoft authority signs out of the user in every cloud and AD FS. Nothing is
  /// revoked at the server. A user that is not there is no error.
  ///
  /// - Throws: `invalidArgument` for a blank user ID, and errors of the back end; the sign-out may be incomplete
  ///   then: call again.
  public func signOut(userID: String) async throws {
    try Account.requireText(userID, "user id")
    let wanted = Username(userID)
    let aliases = try await unified(authority).aliases(for: authority)
    if generation == .bothFormats {
      for account in try await unified(authority).accounts()
      where Username(account.username) == wanted && isOwn(account.storageEnvironment) {
        try await unified(authority).signOut(account)
      }
    }
    try await store.signOut(
      app, recordedAs: (app.name, options.clock.now()),
      where: { belongs($0, to: [wanted], at: authority, aliases) },
      in: { try await store.itemsWithFamily(ofClient: clientID) })
    try await store.removeUnusedFamilies(
      where: { belongs($0, to: [wanted], at: authority, aliases) }, aliases)
  }

  /// Returns whether an item is of one of the users, at an authority or in this cache's cloud.
  func belongs(
    _ item: ADALStore.Stored, to users: Set<Username>, at authority: Authority, _ aliases: EnvironmentAliases
  ) -> Bool {
    users.contains(Username(item.token.userID))
      && (item.token.isAt(authority, aliases) || isOwn(item.token.environment(aliases)))
  }

  /// Whether users of an environment belong to this cache: those of its issuer; if it has none, those without an
  /// issuer.
  private func isOwn(_ environment: String) -> Bool {
    if let issuer = authority.issuer { return environment == issuer.text }
    return Issuer.canonical(environment) == nil
  }

  /// Returns MSAL's accounts of the client in an authority's cloud.
  func unifiedAccounts(_ authority: Authority) async throws -> [Account] {
    let unified = unified(authority)
    let aliases = try await unified.aliases(for: authority)
    return try await unified.accounts().filter {
      aliases.areSame($0.storageEnvironment, authority.storageEnvironment)
    }
  }
}
