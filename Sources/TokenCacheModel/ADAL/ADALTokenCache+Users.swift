// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension ADALTokenCache {
  /// The users that this app can get a token for silently, sorted by their ids.
  ///
  /// They are those of this client's refresh and access tokens, and of its family's refresh tokens, less those that this
  /// app signed out of; from 2.7 on also MSAL's accounts of the client and its family.
  ///
  /// - Throws: Whatever the back end throws; items that can't be read are passed over.
  public func users() async throws -> [ADALUser] {
    let items = try await store.itemsWithFamily(ofClient: clientID)
    let aliases = try await unified(authority).aliases(for: authority)
    var users: [String: ADALUser] = [:]
    func add(_ user: ADALUser) {
      let name = ADALTokenKey.user(user.userID)
      if users[name]?.homeAccountID == nil { users[name] = user }
    }
    for item in ADALSelection(items, for: app, at: authority, aliases).items { ADALUser(item.token).map(add) }
    if generation == .bothFormats {
      let signIns = ADALSignIns(items: items, app: app)
      for account in try await unifiedAccounts(authority)
      where !account.username.isEmpty && !signIns.hasLeft(account, aliases) {
        add(ADALUser(userID: account.username, homeAccountID: account.identifier))
      }
    }
    return users.values.sorted { $0.userID.lowercased() < $1.userID.lowercased() }
  }

  /// The items of this client and its family that this app may use, as they are stored.
  ///
  /// - Parameter userID: Whose items; `nil` for everybody's.
  public func items(userID: String? = nil) async throws -> [ADALToken] {
    let items = try await store.itemsWithFamily(ofClient: clientID)
    let aliases = try await unified(authority).aliases(for: authority)
    return ADALSelection(items, for: app, at: authority, aliases).items.map(\.token).filter {
      userID == nil || ADALTokenKey.user($0.userID) == ADALTokenKey.user(userID)
    }
  }

  /// Signs this app out of a user's account, and no other app, even one that shares the client id.
  ///
  /// From then on this app is given no token for the user until it signs in again. The tokens go with the last app that
  /// uses them, and then an empty item stays behind that says so. From 2.7 on the app is signed out of MSAL's account,
  /// too; of each, where several have the name. Nothing is revoked at the server. A user who is not there is no error.
  ///
  /// - Throws: `invalidArgument` for a blank id, and whatever the back end throws; then call it again.
  public func signOut(userID: String) async throws {
    try TokenCache.requireText(userID, "user id")
    let wanted = ADALTokenKey.user(userID)
    if generation == .bothFormats {
      for account in try await unified(authority).accounts()
      where ADALTokenKey.user(account.username) == wanted { try await unified(authority).signOut(account) }
    }
    try await store.signOut(
      app, where: { ADALTokenKey.user($0.token.userID) == wanted },
      among: { try await store.itemsWithFamily(ofClient: clientID) })
  }

  /// MSAL's accounts of the client in an authority's cloud.
  func unifiedAccounts(_ authority: Authority) async throws -> [Account] {
    let unified = unified(authority)
    let aliases = try await unified.aliases(for: authority)
    return try await unified.accounts().filter { aliases.areSame($0.environment, authority.environment) }
  }
}
