// SPDX-License-Identifier: MIT

package import FoundationEssentials
package import KeychainGroupModel

extension ADALStore {
  /// Signs an app out of a user's items; `nil` signs all apps out.
  ///
  /// Looks for the items twice, to find those that a refresh under way has stored meanwhile.
  ///
  /// - Parameter signOut: Who signs out and when, for the record; `nil` to record nobody.
  /// - Returns: Whether there was an item that the app, or any app, was not signed out of.
  @discardableResult
  package func signOut(
    _ app: AppIdentifier?, recordedAs signOut: (app: String, date: Date)?,
    where belongsToUser: (Stored) -> Bool, in find: () async throws -> [Stored]
  ) async throws -> Bool {
    var existed = false
    var failures = RecordFailures()
    var done: Set<RecordKey> = []
    for _ in 0..<2 {
      for item in try await find() where belongsToUser(item) {
        let isSignedOut = app == nil ? item.token.kind == nil : item.metadata[app] == .signedOut
        if isSignedOut && done.contains(item.key) { continue }
        try await failures.attempt(item.key) {
          try await backend.update(item.key) { $0?.signOutOfADAL(app, recordedAs: signOut) }
        }
        done.insert(item.key)
        existed = existed || !isSignedOut
      }
    }
    try failures.check()
    return existed
  }

  /// Signs every app of a client out of a user, and records it where the client has the user by a family only.
  ///
  /// - Parameters:
  ///   - signOut: Who signs out and when, for the record.
  ///   - aliases: The hosts that belong to the same cloud.
  /// - Returns: Whether the client had the user.
  package func signOutAllApps(
    ofClient clientID: String, recordedAs signOut: (app: String, date: Date),
    where belongsToUser: (Stored) -> Bool, _ aliases: EnvironmentAliases
  ) async throws -> Bool {
    let client = RecordKey.storedClient(clientID)
    var existed = try await self.signOut(
      nil, recordedAs: signOut, where: { $0.key.clientID == client && belongsToUser($0) },
      in: { try await self.items(ofClient: clientID) })
    let items = try await self.items().filter(belongsToUser)
    let own = Set(items.filter { $0.key.clientID == client }.map { $0.token.environment(aliases) })
    for item in items where item.token.kind == .familyRefreshToken {
      let environment = item.token.environment(aliases)
      guard !own.contains(environment),
        try await FamilyUse(backend: backend).mayRedeem(
          item.token.familyOfItem, environment: environment, clientID: clientID)
      else { continue }
      let tombstone = item.token.tombstone(ofClient: clientID)
      try await backend.update(.legacy(tombstone)) { stored in
        var document = stored ?? CacheDocument()
        if stored == nil {
          document.adalToken = tombstone
          document.metadata.signOut = signOut
        }
        document.signOutOfADAL(nil, recordedAs: signOut)
        stored = document
      }
      existed = true
    }
    return try await removeUnusedFamilies(where: belongsToUser, aliases) || existed
  }

  /// Removes a user's family refresh tokens that no client with a token for the user may use, in either format.
  ///
  /// A client that signs in meanwhile writes the family's item first; then the item stays.
  ///
  /// - Returns: Whether one was removed.
  @discardableResult
  package func removeUnusedFamilies(
    where belongsToUser: (Stored) -> Bool, _ aliases: EnvironmentAliases
  ) async throws -> Bool {
    let items = try await self.items().filter(belongsToUser)
    var existed = false
    for item in items where item.token.kind == .familyRefreshToken {
      if try await isUsed(item, among: items, aliases) { continue }
      let isRemoved = try await backend.update(item.key) { stored in
        guard stored?.metadata.revision == item.metadata.revision else { return false }
        stored?.signOutOfADAL(nil)
        return true
      }
      existed = isRemoved || existed
    }
    return existed
  }

  /// Returns whether a client that may use a family's item holds a token for its user.
  ///
  /// In ADAL any client may use family `1`. Another family's clients have an item that names it.
  private func isUsed(
    _ item: Stored, among items: [Stored], _ aliases: EnvironmentAliases
  ) async throws -> Bool {
    guard let family = item.token.familyOfItem else { return true }
    let environment = item.token.environment(aliases)
    let others = items.filter {
      $0.token.kind != nil && $0.token.familyOfItem == nil && $0.token.environment(aliases) == environment
    }
    if others.contains(where: { family == "1" || $0.token.familyID == family }) { return true }
    for identifier in Set(items.compactMap(\.token.homeAccountID)) {
      let key = RecordKey.family(homeAccountID: identifier, environment: environment, familyID: family)
      if try await FamilyUse(backend: backend).isUsed(key) { return true }
    }
    return false
  }
}

extension ADALToken {
  /// Returns an item of the same user without tokens, for another client.
  fileprivate func tombstone(ofClient clientID: String) -> ADALToken {
    var token = ADALToken(authority: authority, resource: nil, clientID: clientID)
    (token.userID, token.homeAccountID) = (userID, homeAccountID)
    (token.uniqueID, token.tenantID) = (uniqueID, tenantID)
    token.refreshToken = Self.tombstone
    return token
  }
}
