// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Removes a group with all its items.
///
/// Callers hold ``GroupCreator/lock``. Otherwise the password of a new group could be removed with the old one.
struct GroupRemover: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let promptPolicy: PromptPolicy

  /// The number of items that one part removes one by one.
  ///
  /// gnome-keyring writes the collection's whole file for each, which takes up to a second with thousands of items.
  var itemsInPart = 8

  /// The result of removing one part.
  struct Part {
    /// Whether anything of the group existed.
    var existed: Bool
    /// Whether the search found nothing to remove.
    let isLast: Bool
    /// Whether the group could not be opened when the removal began.
    let isUnrecoverable: Bool
    /// The items without a publisher when the removal began.
    let withoutOwner: ItemsWithoutOwner
    /// What the last search has found and the next part removes, without another search.
    var found = Found()
  }

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  private var proof: GroupProof { GroupProof(client: client, group: group) }

  private var holdings: GroupHoldings { GroupHoldings(client: client, group: group) }

  /// Removes the collections that are the group's alone, and one part of its items in other collections and its
  /// passwords.
  ///
  /// - Parameter previous: The part that was removed before; `nil` at the beginning.
  /// - Throws: `groupLocked` when something of the group is locked and could be opened, and then nothing was removed;
  ///   also when items are in a locked collection that stays. `groupUnrecoverable` when a collection with the group's
  ///   name can't be opened and also holds items of others, and `storageFailed` when the file of one that can't be
  ///   opened can't be kept, or when the daemon has not read the group's file; and then nothing was removed.
  func removePart(after previous: Part? = nil) async throws -> Part {
    if let previous, !previous.found.items.isEmpty { return try await removeFound(after: previous) }
    // Without the group's own collection, another program's locked one would look like a group that can't be opened.
    let isUnrecoverable = if let previous { previous.isUnrecoverable } else { try await isUnrecoverable() }
    if !isUnrecoverable, previous == nil {
      for collection in try await finder.lockedCollections() { _ = try await opens(collection) }
    }
    if !isUnrecoverable, previous == nil, let own = try await proof.ownKeyring() {
      _ = try await GroupCreator(client: client, group: group, policy: .dedicated).restorePassword(of: own)
    }
    let markers = try await client.search(finder.markerAttributes)
    if previous == nil { try await finder.refuseNotRead((markers.unlocked + markers.locked).map(\.parent)) }
    let unrelated = try await holdings.unrelatedItems()
    let withoutOwner =
      if let previous { previous.withoutOwner } else {
        try await ItemsWithoutOwner(of: group, client)
      }
    let items = try await holdings.ownItems(except: unrelated, with: withoutOwner)
    var own = try await ownCollections(with: items, isUnrecoverable: isUnrecoverable)
    if previous == nil { own += try await emptyCollections() }
    if isUnrecoverable { try await keepFiles(of: own) }
    for collection in own {
      try await ignoringMissingObject { try await client.deleteCollection(collection, promptPolicy) }
    }
    let rest = try await client.search(ItemAttributes.owner(group))
    let passwords = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group))
    // The markers go last. Without them, apps would create the group again in the meantime. The passwords stay while
    // something else is locked: they prove that another program's keyring is not the group's.
    let isRestLocked = !Set(rest.locked).isSubset(of: passwords.locked)
    let last = markers.unlocked + (isRestLocked ? [] : passwords.unlocked)
    let first = Set(rest.unlocked).subtracting(markers.unlocked + passwords.unlocked)
      .union(withoutOwner.own.keys)
    let (removed, left) = try await removeItems(
      (first + last).filter { !unrelated.contains($0) }, withoutOwner, beside: unrelated)
    // Another process may have written after the search: its record would stay without the others of its account.
    let isLast = own.isEmpty && removed == 0
    if isLast {
      // An interrupted move has nothing left to continue with.
      try VersionFile(of: group).settle()
      let locked = Set(rest.locked + passwords.locked)
      if !locked.isEmpty {
        try await client.keyringFiles.refuseRemains(of: group, client)
        var left = LeftItems()
        try await left.add(locked, client)
        throw left.error("the access group \(group)")
      }
    }
    return Part(
      existed: !isLast, isLast: isLast, isUnrecoverable: isUnrecoverable, withoutOwner: withoutOwner,
      found: try await found(left.filter(first.contains), beside: unrelated))
  }

  /// Returns the collections with items of the group that are the group's alone, and that open unless it can't be
  /// opened.
  ///
  /// - Parameter items: The group's items.
  /// - Throws: `groupUnrecoverable` for one that can't be opened and holds items of others.
  private func ownCollections(
    with items: Set<ObjectPath>, isUnrecoverable: Bool
  ) async throws -> [ObjectPath] {
    var own: [ObjectPath] = []
    for collection in try await holdings.collections(of: items) {
      if try await holdings.isRemovable(collection, with: items) {
        if try await isUnrecoverable ? proof.isLockedAndUnproven(collection) : !opens(collection) { continue }
        own.append(collection)
      } else if isUnrecoverable, try await isNamedAndLocked(collection) {
        throw try await undeletableError(collection)
      }
    }
    return own
  }

  /// Returns the group's collections without an item, which a creation that was interrupted leaves.
  private func emptyCollections() async throws -> [ObjectPath] {
    guard try await client.traits().offersGnomeInterface else { return [] }
    if try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group)).unlocked.isEmpty {
      return []
    }
    var empty: [ObjectPath] = []
    for collection in try await client.collections() where try await proof.isNamed(collection) {
      guard try await client.items(of: collection).isEmpty, try await !client.isCommon(collection),
        try await proof.mayBeOwn(collection), try await opens(collection),
        try await proof.opensWithGroupPassword(collection)
      else { continue }
      empty.append(collection)
    }
    return empty
  }

  /// Returns whether a collection is open, or opens with a password of the group.
  ///
  /// Any program can create a keyring of the group's name, store items under the group's attributes there, and lock it.
  private func opens(_ collection: ObjectPath) async throws -> Bool {
    guard try await client.isLocked(collection) == true else { return true }
    do {
      try await finder.unlock(collection)
      return true
    } catch let error as SecretStoreError where [.groupLocked, .groupUnrecoverable].contains(error.code) {
      return false
    }
  }

  /// Keeps the files of those collections that can't be opened: a backup of the login keyring may have their passwords.
  ///
  /// - Throws: `storageFailed` when a file can't be kept.
  private func keepFiles(of collections: [ObjectPath]) async throws {
    guard try await client.traits().offersGnomeInterface else { return }
    let files = try await client.keyringFiles
    var isKnown = !files.isGuess
    for collection in collections where try await client.isLocked(collection) == true {
      guard let file = GnomeKeyringFile(collection: collection) else { continue }
      // An old copy of the folder has the same files.
      if !isKnown { isKnown = try await isWritten(in: files) }
      guard isKnown else { throw files.unseen(file) }
      let items = try await client.items(of: collection).map(\.name)
      try files.keepFiles(of: file, with: Set(items))
    }
  }

  /// Returns whether the daemon writes the login keyring's file in a folder.
  private func isWritten(in files: KeyringFiles) async throws -> Bool {
    let login = KeyringFiles.loginCollection
    guard try await client.isLocked(login) == false else { return false }
    let former = files.version(of: KeyringFiles.login)
    let item = try await client.createItem(
      in: login, label: "Test of the keyrings' folder",
      attributes: ItemAttributes.probe(ItemAttributes.randomKey()), schema: ItemAttributes.schema,
      secret: Secret("test"), replaces: false)
    if try await !client.deleteItem(item) { try await client.setSecret(Secret([]), of: item) }
    return files.version(of: KeyringFiles.login) != former
  }

  private func isNamedAndLocked(_ collection: ObjectPath) async throws -> Bool {
    guard try await client.isLocked(collection) == true else { return false }
    return try await client.label(ofCollection: collection) == group.name
  }

  private func undeletableError(_ collection: ObjectPath) async throws -> SecretStoreError {
    let count = try await client.items(of: collection).count
    return SecretStoreError(
      .groupUnrecoverable,
      "The collection \(group.name) can't be opened and stays, because not all of its"
        + " \(Quantity.of(count, "item")) are the access group's.",
      underlying: try await finder.unremovable(collection))
  }

  /// Removes the collections of the group that can't be opened.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: `groupUnrecoverable` when one of them holds items of others, `storageFailed` when a file can't be kept;
  ///   then nothing was removed.
  func removeUnrecoverable() async throws -> Bool {
    var unrecoverable: [ObjectPath] = []
    for collection in try await finder.lockedCollections() {
      do {
        try await finder.unlock(collection)
      } catch let error as SecretStoreError where error.code == .groupUnrecoverable {
        guard try await client.label(ofCollection: collection) == group.name else { continue }
        // The owner of the other items may know the collection's password.
        let items = try await holdings.ownItems()
        guard try await holdings.isRemovable(collection, with: items) else { throw error }
        unrecoverable.append(collection)
      }
    }
    try await keepFiles(of: unrecoverable)
    for collection in unrecoverable {
      try await ignoringMissingObject { try await client.deleteCollection(collection, promptPolicy) }
    }
    return !unrecoverable.isEmpty
  }

  /// Opens the group without a prompt, and returns whether it can't be opened again, whatever other markers there are.
  ///
  /// - Throws: Any other error, such as `groupLocked`. A locked collection may hide part of the group, so nothing is
  ///   removed.
  private func isUnrecoverable() async throws -> Bool {
    do {
      let claims = try await finder.claims()
      if claims.stillLocked.isEmpty { return false }
      return try await finder.provenLocation(of: claims) == nil
    } catch let error as SecretStoreError where [.groupUnrecoverable, .corruptItem].contains(error.code) {
      return true
    }
  }
}
