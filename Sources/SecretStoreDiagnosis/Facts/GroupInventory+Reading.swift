// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

extension GroupInventory {
  /// Reads the inventory of a group that is unlocked.
  static func read(_ group: AccessGroup, at location: GroupLocation?, from client: SecretServiceClient)
    async throws -> GroupInventory
  {
    var inventory = GroupInventory(group: group, location: location)
    inventory.usesPasswords = try await client.traits().offersGnomeInterface
    for alias in ["login", "default"] {
      guard let collection = try await client.collection(alias: alias) else { continue }
      inventory.common.append(collection)
      if alias == "login" {
        inventory.login = collection
        inventory.isLoginLocked = try await client.isLocked(collection) == true
      }
    }
    let proof = GroupProof(client: client, group: group)
    let finder = GroupFinder(client: client, group: group)
    // A renamed keyring is still its group's.
    let markedByOthers = try await proof.collectionsMarkedByOtherNames()
    // Those have items of the group, which can't be read.
    let locked = Set(try await finder.lockedCollections())
    for collection in try await client.collections().sorted(by: { $0.text < $1.text })
    where try await proof.mayBeOwn(collection) && !locked.contains(collection) {
      if markedByOthers.contains(collection) { continue }
      inventory.namesakes.append(collection)
    }
    let found = try await client.search(ItemAttributes.owner(group))
    let paths = found.unlocked.sorted { $0.text < $1.text }
    let secrets = try await client.secrets(of: paths)
    // The content alone does not show that a document is stored under another record's attributes.
    let attributes = try await client.attributes(of: paths)
    let keepsSchemas = try await client.traits().keepsSchemas
    inventory.items = paths.map { Item(path: $0, attributes: attributes[$0] ?? [:], bytes: secrets[$0]) }
      .filter { !ItemAttributes.isForeign($0.attributes, $0.bytes, keepsSchemas: keepsSchemas) }
    let standings = try await proof.standings(of: Set(inventory.items.map(\.path.parent)))
    func isElsewhere(_ item: Item) -> Bool {
      item.key?.kind != .groupKey && standings[item.path.parent] == .unproven
    }
    let others = inventory.items.filter(isElsewhere)
    for collection in Set(others.map(\.path.parent)) {
      if let plain = try await finder.plainKeyring(collection), try await finder.hasGroupName(collection) {
        inventory.plain.append(plain.path)
      }
      inventory.elsewhere.append(try await client.label(ofCollection: collection))
    }
    inventory.elsewhere.sort()
    if !found.locked.isEmpty { try await inventory.findLocked(by: client) }
    inventory.items.removeAll(where: isElsewhere)
    inventory.standings = standings
    let known = inventory.collections
    inventory.namesakes.removeAll { known.contains($0) || inventory.common.contains($0) }
    let holdings = GroupHoldings(client: client, group: group)
    let own = try await holdings.ownItems()
    for collection in known where !inventory.common.contains(collection) {
      if try await !holdings.isOwn(collection, with: own) {
        inventory.mixed[collection] = try await client.label(ofCollection: collection)
      }
    }
    if location == nil {
      for collection in Set(known + inventory.namesakes).sorted(by: { $0.text < $1.text })
      where try await proof.mayBeOwn(collection) {
        let isProven = try await inventory.usesPasswords ? proof.opensWithGroupPassword(collection) : true
        if isProven { inventory.proven.append(collection) }
      }
    }
    try await inventory.findWithoutOwner(by: client)
    if inventory.usesPasswords {
      try await inventory.findUnproven(others, by: client)
      try await inventory.testPasswords(with: client)
      if inventory.passwords.isEmpty {
        inventory.hasPasswordLackingAttributes = try await !finder.passwordsLackingAttributes().isEmpty
      }
      for collection in inventory.namesakes where try await inventory.isLeftover(collection, by: client) {
        inventory.leftovers.append(collection)
      }
      for collection in inventory.items(.groupKey).compactMap(\.keyring?.collection)
      where !(known + inventory.namesakes).contains(collection) {
        guard try await client.isLocked(collection) != nil else { continue }
        inventory.otherKeyrings.append(try await client.label(ofCollection: collection))
      }
      let files = try await client.keyringFiles
      inventory.folder = files.folder
      if let file = (location?.collection).flatMap(GnomeKeyringFile.init(collection:)) {
        inventory.unserved = try await files.notRead(file, client)
      }
      inventory.unread = inventory.items(.groupKey)
        .compactMap { GnomeKeyringFile(attribute: $0.attributes[ItemAttributes.keyring]) }
        .compactMap { files.damage(of: $0) }
      for collection in known + inventory.namesakes
      where try await inventory.isRemembered(collection, by: client) {
        inventory.remembered.insert(collection)
      }
    }
    return inventory
  }

  /// Counts the records of other programs' locked collections that no open collection has.
  ///
  /// A locked item's attributes can't be read, but a search for a record's finds it.
  private mutating func findLocked(by client: SecretServiceClient) async throws {
    let owner = ItemAttributes.owner(group)
    var only: Set<ObjectPath> = []
    for kind in RecordKind.allCases where ![.group, .groupKey, .damaged].contains(kind) {
      only.formUnion(try await client.search(owner.merging(["kind": kind.rawValue]) { $1 }).locked)
    }
    for key in Set(items.compactMap(\.key)) where !only.isEmpty {
      only.subtract(try await client.search(ItemAttributes.all(key, in: group)).locked)
    }
    for (collection, items) in Dictionary(grouping: only, by: \.parent) {
      onlyInLocked.append((try await client.label(ofCollection: collection), items.count))
    }
    onlyInLocked.sort { $0.label < $1.label }
  }

  /// Finds the items of the group's own collection that no search for its items finds.
  private mutating func findWithoutOwner(by client: SecretServiceClient) async throws {
    var found = Array(try await ItemsWithoutOwner(of: group, client).own.keys)
    if location == nil, proven.count == 1 {
      let attributes = try await client.attributes(of: try await client.items(of: proven[0]))
      found = Array(try await ItemsWithoutOwner.bare(among: attributes, of: group, client).keys)
    }
    found += items.filter(hasOtherAttributes).map(\.path)
    let records = try await ItemsWithoutOwner.records(of: found, in: group, client)
    let known = Set(items.compactMap(\.key))
    // A second marker holds nothing that an app would miss.
    let hasMarker = known.contains(GroupFinder.markerKey)
    withoutOwner = found.count { records[$0] != GroupFinder.markerKey || !hasMarker }
    let copies = Dictionary(grouping: records.values, by: \.self).mapValues(\.count)
    let unique = records.filter {
      !known.contains($0.value) && (copies[$0.value] == 1 || $0.value == GroupFinder.markerKey)
    }
    let wipe = items.first { $0.key == WipeRecord.key }?.document.flatMap(WipeRecord.init)
    guard let wipe, wipe.isEverything else { return restorable = unique }
    let contents = try await client.secrets(of: Array(unique.keys))
    restorable = unique.filter { item in
      if [.secret, .group].contains(item.value.kind) { return true }
      let newest = contents[item.key]?.document?.credentials.compactMap(\.cachedAt).max()
      return newest.map { $0 > wipe.date } == true
    }
  }

  /// Returns whether an item of the group's own collection names its group, and holds another record than its attributes
  /// name, or these name none.
  private func hasOtherAttributes(_ item: Item) -> Bool {
    guard let own = location?.collection ?? proven.first, item.path.parent == own, !common.contains(own),
      !ItemAttributes.kindsWithoutRecord.contains(item.attributes["kind"] ?? ""), item.key?.kind != .damaged,
      let document = item.bytes?.document, let record = document.metadata.record
    else { return false }
    // A document without entries is no app's.
    return document.holdsEntries && record != item.key
  }

  /// Tests the stored passwords against the group's own collection, which is unlocked.
  private mutating func testPasswords(with client: SecretServiceClient) async throws {
    guard let own = location?.collection ?? proven.first else { return }
    for key in passwords {
      guard let password = key.bytes else { continue }
      // The file may have got another name, also that of another keyring's file.
      let named = key.keyring?.collection
      let isCorrect = try await Self.isPassword(password, of: own, client)
      if named != own, isCorrect { restoredPasswords[key.path] = own }
      if named == own, !isCorrect { wrongPasswords.insert(key.path) }
    }
  }

  /// Returns whether a password is that of an unlocked collection.
  ///
  /// A daemon that can't write the collection's file refuses the right password, too, but with another error.
  private static func isPassword(
    _ password: Secret, of collection: ObjectPath, _ client: SecretServiceClient
  ) async throws -> Bool {
    do {
      return try await client.isPassword(password, of: collection)
    } catch let error as BusError where error.name == BusError.failed {
      return true
    }
  }

  /// Returns whether an unlocked collection is empty and one of the group's own passwords opens it.
  private func isLeftover(_ collection: ObjectPath, by client: SecretServiceClient) async throws -> Bool {
    // A locked collection without a password accepts any password.
    guard try await client.isLocked(collection) == false else { return false }
    // What others have in it stays with it.
    guard try await client.items(of: collection).isEmpty else { return false }
    for password in passwords.compactMap(\.bytes) {
      if try await Self.isPassword(password, of: collection, client) { return true }
    }
    return false
  }

  /// Returns whether gnome-keyring itself stores the password of an unlocked collection in the login collection.
  private func isRemembered(_ collection: ObjectPath, by client: SecretServiceClient) async throws -> Bool {
    guard let file = GnomeKeyringFile(collection: collection) else { return false }
    // A locked collection without a password accepts any password.
    guard try await client.isLocked(collection) == false else { return false }
    let keyring = [ItemAttributes.keyring: file.attribute]
    let ofGroups = try await client.search(keyring.merging(["kind": RecordKind.groupKey.rawValue]) { $1 })
    let items = try await client.search(keyring).unlocked.filter {
      !ofGroups.unlocked.contains($0) && $0.parent == login
    }
    // Any program can store an item with this attribute, and a password that was changed elsewhere stays there.
    for password in try await client.secrets(of: items).values where !password.isEmpty {
      if try await Self.isPassword(password, of: collection, client) { return true }
    }
    return false
  }
}
