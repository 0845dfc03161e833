// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension TokenCache {
  /// The accounts that this app can get a token for silently, sorted by user name.
  ///
  /// They are those of this client, and of its family of clients, less those that this app signed out of. Those that
  /// only ADAL has signed in are among them (see ``TokenCacheOptions/sharesWithADAL``); their identifier is empty until
  /// the first silent call, unless ADAL has learnt it. Those of external providers are among them, too.
  ///
  /// - Throws: `corruptItem` when a document of this client can't be read (another client's is passed over),
  ///   and whatever the back end throws. A group that was never written has no accounts.
  public func accounts() async throws -> [Account] {
    let adals: [RecordQuery] = readsADAL(at: authority) ? [.all(.legacy)] : []
    let records = try await backend.records(matchingAny: [.all(.credentials)] + adals)
    return await external.merged(with: try await visible(records))
  }

  /// What ``visible(_:among:)`` may need of the group beside credentials and ADAL's items.
  var sourcesOfAccounts: [RecordQuery] {
    [.client(clientID)] + (asksGroupForAliases(of: authority) ? [.all(.groupData)] : [])
  }

  var external: ExternalAccounts { ExternalAccounts(providers: options.externalAccounts) }

  /// The only account there is, for an app that knows one at a time.
  ///
  /// - Returns: The account, or `nil` when there is none.
  /// - Throws: `ambiguousAccount` when there are several; and see ``accounts()``.
  public func account() async throws -> Account? { try Self.single(await accounts()) }

  /// Finds an account by its identifier, the one to keep.
  ///
  /// - Returns: The account, or `nil` when this app can't get a token for it.
  /// - Throws: `invalidArgument` for a blank identifier; `ambiguousAccount` when providers other than this
  ///   cache's authority each know one by that identifier; and see ``accounts()``.
  public func account(identifier: String) async throws -> Account? {
    try Self.requireText(identifier, "identifier")
    let records = try await backend.records(matching: .all(.credentials, homeAccountID: identifier))
    var found = try await visible(records)
    // What ADAL's items say counts until the app has used the account.
    let isInUse = records.contains { (try? $0.document())?.sharing[app] == .signedIn }
    if readsADAL(at: authority) && !isInUse || found.isEmpty && !options.externalAccounts.isEmpty {
      let wanted = RecordKey.storedAccount(identifier)
      found = try await accounts().filter { RecordKey.storedAccount($0.identifier) == wanted }
    }
    return try found.first { $0.environment == authority.environment } ?? Self.single(found)
  }

  /// Finds an account by its user name, in any case.
  ///
  /// Prefer the identifier: a user name can change.
  ///
  /// - Returns: The account, or `nil` when this app can't get a token for it.
  /// - Throws: `invalidArgument` for a blank name; `ambiguousAccount` when several accounts have it; and see
  ///   ``accounts()``.
  public func account(username: String) async throws -> Account? {
    try Self.requireText(username, "username")
    let wanted = username.lowercased()
    return try Self.single(await accounts().filter { $0.username.lowercased() == wanted })
  }

  /// Finds an account by its id in one of its tenants (its `oid` there), as ``TenantProfile/identifier`` has it.
  ///
  /// - Returns: The account, or `nil` when this app can't get a token for it.
  /// - Throws: `invalidArgument` for a blank id; `ambiguousAccount` when several accounts have it; and see
  ///   ``accounts()``.
  public func account(tenantProfile identifier: String) async throws -> Account? {
    try Self.requireText(identifier, "tenant profile identifier")
    let wanted = identifier.lowercased()
    return try Self.single(
      await accounts().filter { account in
        account.tenantProfiles.contains { $0.identifier.lowercased() == wanted }
      })
  }

  /// Whether this app has signed in to an account or out of it; `nil` when it has done neither.
  ///
  /// An app that was given a token silently counts as signed in. For the person at the keyboard it is always `nil`.
  ///
  /// - Throws: `corruptItem` when the document can't be read, and whatever the back end throws.
  public func signInState(of account: Account) async throws -> SharingState.SignInState? {
    let key = key(account, try await aliases(of: account))
    return try await backend.record(for: key)?.document().sharing[app]
  }

  /// The only one, `nil` for none, an error for several.
  static func single(_ accounts: [Account]) throws(SecretStoreError) -> Account? {
    guard accounts.count > 1 else { return accounts.first }
    let candidates = accounts.map { "\(RecordKey.storedAccount($0.identifier)) at \($0.environment)" }
      .joined(separator: ", ")
    throw SecretStoreError(
      .ambiguousAccount, "Several accounts fit; name one by its identifier: \(candidates).")
  }

  /// Refuses text that is blank, which must never mean "the first account".
  static func requireText(_ text: String, _ what: String) throws(SecretStoreError) {
    if text.allSatisfy(\.isWhitespace) {
      throw SecretStoreError(.invalidArgument, "The account's \(what) is blank.")
    }
  }

  /// The accounts among the records that this app may see: the unified cache's, and ADAL's that are not among them.
  ///
  /// - Parameter all: All that may be needed, where nothing else of the group is to be read.
  func visible(_ records: [Record], among all: [Record]? = nil) async throws -> [Account] {
    let own = RecordKey.storedClient(clientID)
    var mine: [(RecordKey, CacheDocument)] = []
    var family: [(RecordKey, CacheDocument)] = []
    for record in records where record.key.kind == .credentials {
      if record.key.clientID == own {
        mine.append((record.key, try record.document()))
      } else if let document = try? record.document(), document.hasTokens,
        document.appMetadata.contains(where: { !$0.familyID.isEmpty })
      {
        family.append((record.key, document))
      }
    }
    let legacy = records.filter { $0.key.kind == .legacy }
    let isShared = family.isEmpty && legacy.isEmpty
    let isOutsider = isShared ? true : try await isOutsider(mine.map(\.1), among: all)
    let signedOut = mine.filter { $0.1.isSignedOut(for: app) }
    var merger = AccountMerger()
    for (_, document) in mine where isVisible(document) { merger.add(document) }
    for (key, document) in family where !isOutsider {
      let isSignedOut = signedOut.contains {
        $0.0.account == key.account && $0.0.environment == key.environment
      }
      if !isSignedOut { merger.add(document, showsClaims: false) }
    }
    if legacy.isEmpty { return merger.accounts }
    let families = mine.flatMap(\.1.appMetadata).map(\.familyID).filter { !$0.isEmpty }
    let adals = ADALAccounts(
      legacy, clientID: clientID, family: isOutsider ? nil : families.first ?? "1", app: app,
      try await aliases(among: all))
    let shown = merger.accounts.filter { account in
      !adals.isSignedOut(account)
        || mine.contains { $0.0 == key(account, .shipped) && $0.1.sharing[app] == .signedIn }
    }
    return adals.merged(with: shown) { account in
      signedOut.contains { $0.1.isAbout(account, $0.0) }
        || merger.accounts.contains { account.isNamed(as: $0) }
    }
  }

  /// Whether the client is known to be in no family: all of its own documents say so, or without any, its own record.
  private func isOutsider(_ documents: [CacheDocument], among all: [Record]?) async throws -> Bool {
    var metadata = documents.flatMap(\.appMetadata)
    if metadata.isEmpty {
      let query = RecordQuery.client(clientID)
      var own = all?.filter { query.matches($0.key) }
      if own == nil { own = try await backend.records(matching: query) }
      for record in own ?? [] { metadata += try record.document().appMetadata }
    }
    return !metadata.isEmpty && metadata.allSatisfy { $0.familyID.isEmpty }
  }

  private func aliases(among all: [Record]?) async throws -> EnvironmentAliases {
    guard let all, asksGroupForAliases(of: authority) else { return try await aliases(for: authority) }
    let learnt = all.first { $0.key == EnvironmentAliases.record }
    return EnvironmentAliases(in: try learnt?.document())
  }

  private func isVisible(_ document: CacheDocument) -> Bool {
    !document.isSignedOut(for: app) && (document.hasTokens || document.sharing[app] == .signedIn)
  }
}

extension CacheDocument {
  /// Whether a record of the unified cache is an account of ADAL's: by its id where that is known, else by its name.
  func isAbout(_ account: Account, _ key: RecordKey) -> Bool {
    guard key.environment == account.environment else { return false }
    if !account.identifier.isEmpty { return key.account == RecordKey.storedAccount(account.identifier) }
    return accounts.contains { $0.username.lowercased() == account.username.lowercased() }
      || sharing.wasNamed(account.username)
  }
}

extension Account {
  /// Whether an account of ADAL's that has no identifier goes by another's name, in one cloud.
  func isNamed(as other: Account) -> Bool {
    identifier.isEmpty && username.lowercased() == other.username.lowercased()
      && environment == other.environment
  }
}
