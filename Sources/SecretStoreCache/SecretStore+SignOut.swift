// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import TokenCacheModel

/// The end of a sign-out: what the records of the account don't find.
extension SecretStore {
  /// Removes what a sign-out has left of an account, and checks that no locked keyring has tokens of it.
  ///
  /// Call it after `AccountDirectory.signOut(_:clientID:recordedAs:clock:)` and
  /// `AccountDirectory.removeEverything(recordedAs:clock:)` in a tool or a settings page. These remove every copy in an
  /// unlocked keyring. A copy that another program has made in a keyring of its own stays while that keyring is locked.
  /// This call also removes the account's items whose kind this version doesn't know or whose attributes spell the
  /// account in another way, and older copies of other records with entries of the account. An app that uses the agent
  /// can see no keyring, so that nothing is checked there.
  ///
  /// - Parameters:
  ///   - account: The account; `nil` for every account.
  ///   - clientID: The client that was signed out; `nil` for every client.
  ///   - group: The group.
  /// - Returns: Whether there was anything to remove.
  /// - Throws: `groupLocked` when items with the account's attributes are in a locked keyring, and with them any ADAL
  ///   item of the group, whose account is unknown. The error's detail names the keyrings. `storageFailed` when a list
  ///   shows another program's item as the account's. `corruptItem` when an item can't be read that names no account.
  ///   Otherwise `serviceUnavailable`, `timedOut` and so on.
  @discardableResult
  public func completeSignOut(
    of account: Account?, clientID: String? = nil, in group: AccessGroup
  ) async throws -> Bool {
    try await completeSignOut(of: account, clientID: clientID, in: group) { _ in false }
  }

  /// As ``completeSignOut(of:clientID:in:)``, and finds other programs' items of an account in an older library's
  /// format.
  ///
  /// - Parameter directory: The accounts of the group.
  package func completeSignOut(
    of account: Account, clientID: String?, in group: AccessGroup, _ directory: AccountDirectory
  ) async throws -> Bool {
    let isOwned = try await directory.ownership(of: account)
    return try await completeSignOut(of: account, clientID: clientID, in: group, owning: isOwned)
  }

  /// Throws an error that names other programs' items that lists show as the account's.
  package func requireUnlistedItems(
    of account: Account, clientID: String, in group: AccessGroup, _ directory: AccountDirectory
  ) async throws {
    if try await usesAgent(for: group) { return }
    let sweep = SignOutSweep(
      client: client, group: group, backend: unrestrictedBackend(for: group), account: account,
      clientID: clientID, aliases: try await aliases(in: group),
      isOwned: try await directory.ownership(of: account))
    let listed = try await guarded { client in
      try await sweep.found(with: ItemsWithoutOwner(of: group, client)).listed
    }
    try await requireUnlisted(listed, "the account in \(group)")
  }

  private func completeSignOut(
    of account: Account?, clientID: String?, in group: AccessGroup,
    owning isOwned: @escaping @Sendable (CacheDocument) -> Bool
  ) async throws -> Bool {
    if try await usesAgent(for: group) { return false }
    let check = SignOutCheck(
      client: client, group: group,
      account: account.map { (RecordKey.storedAccount($0.identifier), $0.storageEnvironment) },
      clientID: clientID)
    let sweep = SignOutSweep(
      client: client, group: group, backend: unrestrictedBackend(for: group), account: account,
      clientID: clientID, aliases: try await aliases(in: group), isOwned: isOwned,
      findsUnreadable: account == nil)
    return try await removeRest(
      check, sweep, of: account == nil ? "the accounts of \(group)" : "the account in \(group)") > 0
  }

  /// Removes what is left of an account that no list shows, and checks the locked keyrings, as
  /// ``completeSignOut(of:clientID:in:)``.
  ///
  /// - Parameters:
  ///   - name: The account's identifier, or its user name. Attributes don't state the latter, so items of any account
  ///     in a locked keyring may be the account's then.
  ///   - environment: The account's cloud or issuer; `nil` for any.
  ///   - removes: Whether anything is removed, and not only looked for.
  package func completeSignOut(
    ofUnlisted name: String, environment: String?, clientID: String?, in group: AccessGroup, removes: Bool
  ) async throws -> Bool {
    if try await usesAgent(for: group) { return false }
    func check(_ stored: String?) -> SignOutCheck {
      SignOutCheck(client: client, group: group, account: (stored, environment), clientID: clientID)
    }
    let known = check(RecordKey.storedAccount(name))
    let sweep = SignOutSweep(
      client: client, group: group, backend: unrestrictedBackend(for: group),
      account: Account(identifier: name, username: "", environment: environment ?? ""), clientID: clientID,
      aliases: try await aliases(in: group))
    return try await removeRest(
      known, sweep, of: "the account in \(group)",
      naming: HomeAccountID(name).isAzureAD ? known : check(nil), removes: removes) > 0
  }

  /// Removes what an import that replaced the content of a group has left in it, and checks the locked keyrings.
  ///
  /// Left are items of unknown kinds that name an account, and older copies of records.
  ///
  /// - Returns: The number of items and records that had something to remove.
  /// - Throws: As ``completeSignOut(of:clientID:in:)``.
  package func completeReplacement(in group: AccessGroup) async throws -> Int {
    if try await usesAgent(for: group) { return 0 }
    let (check, sweep) = replacement(of: group)
    return try await removeRest(check, sweep, of: "what the file lacks in \(group)")
  }

  /// Returns how much ``completeReplacement(in:)`` would remove after an import.
  ///
  /// - Parameters:
  ///   - changed: The records that the import changes: their copies go with that.
  ///   - misnamed: The items whose attributes the import corrects.
  package func leftByReplacement(
    in group: AccessGroup, after changed: Set<RecordKey>, _ misnamed: [MisnamedItem]
  ) async throws -> Int {
    if try await usesAgent(for: group) { return 0 }
    let (check, sweep) = replacement(of: group)
    var found = try await guarded { client in
      try await rest(check, sweep, ItemsWithoutOwner(of: group, client))
    }
    for item in misnamed {
      found.items.remove(item.path)
      found.others[item.path] = nil
    }
    let backend = unrestrictedBackend(for: group)
    for (record, items) in Dictionary(grouping: misnamed, by: \.key) {
      // With the right attributes they are copies.
      let isCopy = if items.count > 1 { true } else { try await backend.record(for: record) != nil }
      if isCopy { found.records.insert(record) }
    }
    found.records.subtract(changed)
    // What was set aside goes with the import's records.
    let items = found.items
    for (path, attributes) in try await guarded({ try await $0.attributes(of: Array(items)) }) {
      if let key = ItemAttributes.key(attributes), changed.contains(key) { found.items.remove(path) }
    }
    return found.count
  }

  private func replacement(of group: AccessGroup) -> (SignOutCheck, SignOutSweep) {
    let check = SignOutCheck(client: client, group: group, account: nil, clientID: nil)
    let sweep = SignOutSweep(
      client: client, group: group, backend: unrestrictedBackend(for: group), account: nil, clientID: nil,
      aliases: .shipped)
    return (check, sweep)
  }

  /// Removes what the attributes of an account don't find and items of unknown kinds.
  ///
  /// - Parameters:
  ///   - what: What is removed, for the error.
  ///   - leftCheck: The check for what is left in locked keyrings; `nil` for `check`.
  ///   - removes: Whether anything is removed, and not only looked for.
  /// - Returns: The number of items and records that had something to remove.
  /// - Throws: At the end, one error that names all that is left.
  private func removeRest(
    _ check: SignOutCheck, _ sweep: SignOutSweep, of what: String,
    naming leftCheck: SignOutCheck? = nil, removes: Bool = true
  ) async throws -> Int {
    let withoutOwner = try await guarded { try await ItemsWithoutOwner(of: sweep.group, $0) }
    let left = try await guarded { _ in
      try await (leftCheck ?? check).leftItems(and: sweep.locked(with: withoutOwner), withoutOwner)
    }
    let found = try await guarded { _ in try await rest(check, sweep, withoutOwner) }
    var failures = RecordFailures()
    if removes { try await remove(found, sweep, &failures) }
    try await failures.attempt(nil) {
      if !left.isEmpty { throw left.error(what) }
    }
    try await failures.attempt(nil) { try await requireUnlisted(found.listed, what) }
    try await failures.attempt(nil) { try await requireNone(withoutOwner: found.withoutOwner, what) }
    try await failures.attempt(nil) {
      if !found.unattributed.isEmpty { throw UnattributedRecords(keys: Array(found.unattributed)).error }
    }
    try await failures.attempt(nil) { try await requireReadFiles(of: sweep.group) }
    try failures.check()
    return found.count
  }

  /// Throws an error that names a keyring's file from which nothing can be removed now.
  private func requireReadFiles(of group: AccessGroup) async throws {
    try await guarded { try await $0.keyringFiles.refuseRemains(of: group, $0) }
  }

  private func rest(
    _ check: SignOutCheck, _ sweep: SignOutSweep, _ withoutOwner: ItemsWithoutOwner
  ) async throws -> SignOutSweep.Found {
    var found = try await sweep.found(with: withoutOwner)
    found.items.formUnion(try await check.ownUnknownItems())
    return found
  }

  private func remove(
    _ found: SignOutSweep.Found, _ sweep: SignOutSweep, _ failures: inout RecordFailures
  ) async throws {
    let backend = unrestrictedBackend(for: sweep.group)
    try await failures.attempt(nil) { try await remove(found.items, of: sweep.group) }
    for (item, record) in found.others {
      try await failures.attempt(record) {
        try await backend.change(item, of: record) { sweep.clean(&$0, of: record) }
      }
    }
    for record in found.records {
      try await failures.attempt(record) { try await backend.removeOlderCopies(of: record) }
    }
  }

  private func aliases(in group: AccessGroup) async throws -> EnvironmentAliases {
    let record = try await unrestrictedBackend(for: group).record(for: EnvironmentAliases.record)
    return EnvironmentAliases(in: try? record?.document())
  }

  /// Removes the copies of a secret that can't be read, and checks that no locked keyring has a copy.
  ///
  /// - Returns: Whether there was anything to remove.
  /// - Throws: As ``completeSignOut(of:clientID:in:)``.
  package func completeRemoval(of secret: RecordKey, in group: AccessGroup) async throws -> Bool {
    if try await usesAgent(for: group) { return false }
    let check = SecretRemovalCheck(client: client, group: group, secret: secret)
    let withoutOwner = try await guarded { try await ItemsWithoutOwner(of: group, $0) }
    let left = try await guarded { client in
      var left = LeftItems()
      try await left.add(check.locked(with: withoutOwner), client)
      return left
    }
    let unlocked = try await guarded { _ in try await check.unlocked(with: withoutOwner) }
    let what = "the secret in \(group)"
    var failures = RecordFailures()
    try await failures.attempt(nil) { try await remove(unlocked.items, of: group) }
    // What is in such a file can be removed only after its remedy, which the first error has.
    try await failures.attempt(nil) { try await requireReadFiles(of: group) }
    try await failures.attempt(nil) {
      if !left.isEmpty { throw left.error(what) }
    }
    try await failures.attempt(nil) { try await requireUnlisted(unlocked.listed, what) }
    try await failures.attempt(nil) { try await requireNone(withoutOwner: unlocked.withoutOwner, what) }
    try await failures.attempt(nil) {
      if !unlocked.unattributed.isEmpty {
        throw UnattributedRecords(keys: unlocked.unattributed, isOfSecret: true).error
      }
    }
    try failures.check()
    return !unlocked.items.isEmpty
  }

  /// Throws an error that names other programs' items that lists show.
  private func requireUnlisted(_ items: Set<ObjectPath>, _ what: String) async throws {
    if items.isEmpty { return }
    let labels = try await guarded { try await $0.displayNames(ofCollectionsOf: items) }
    throw ListedForeignItems.error(what, in: labels)
  }

  /// Throws an error that names items without a publisher that may be of another publisher's group of that name.
  private func requireNone(withoutOwner items: Set<ObjectPath>, _ what: String) async throws {
    if items.isEmpty { return }
    let labels = try await guarded { try await $0.displayNames(ofCollectionsOf: items) }
    throw ItemsWithoutOwner.error(what, in: labels)
  }

  private func remove(_ items: some Collection<ObjectPath>, of group: AccessGroup) async throws {
    if items.isEmpty { return }
    try await changing(group, within: options.timeout) { client in
      for item in items {
        try await RecycledItems(client: client, group: group).delete(item)
        // As with long work, the limit is each item's.
        Deadline.restart()
      }
    }
  }
}
