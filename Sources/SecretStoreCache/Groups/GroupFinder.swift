// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Finds a group's collection by its marker, and unlocks it without a prompt.
package struct GroupFinder: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  package init(client: SecretServiceClient, group: AccessGroup) {
    self.client = client
    self.group = group
  }

  package static let markerKey = RecordKey(kind: .group)
  static let passwordKey = RecordKey(kind: .groupKey)

  package var markerAttributes: [String: String] { ItemAttributes.all(Self.markerKey, in: group) }

  /// Returns the group's location, unlocked.
  ///
  /// - Returns: The location; `nil` when there is no such group, or only a marker that is not believed; see
  ///   ``GroupProof``.
  /// - Throws: As ``claims(opening:)``, and `corruptItem` when its markers contradict each other.
  func find() async throws -> GroupLocation? { try await provenLocation(of: try await claims()) }

  /// Returns the location that is the group's own among the collections with its marker.
  func provenLocation(of claims: GroupClaims) async throws -> GroupLocation? {
    let location = try await GroupProof(client: client, group: group).provenLocation(of: claims)
    if location == nil { try await refuseNotRead(claims.locations.map(\.collection)) }
    return location
  }

  /// Finds and unlocks the collections with the group's marker.
  ///
  /// - Parameter opens: Whether to unlock locked collections, without a prompt.
  /// - Returns: The collections; none when it is certain that there is no such group.
  /// - Throws: `groupLocked` or `groupUnrecoverable` when none of them unlocks without a prompt; `storageFailed` when
  ///   the file of the group's collection exists but the daemon can't read it.
  func claims(opening opens: Bool = true) async throws -> GroupClaims {
    var claims = GroupClaims()
    var (found, secrets) = try await markers()
    if !found.locked.isEmpty && (opens || found.unlocked.isEmpty) {
      guard opens else { throw self.locked }
      let others = try await open(found, noting: &claims)
      (found, secrets) = try await self.markers()
      if found.unlocked.isEmpty, !others.isSuperset(of: found.locked.map(\.parent)) { throw self.locked }
    }
    let markers = found.unlocked.sorted { $0.text < $1.text }
    if markers.isEmpty {
      guard found.unsearchedCollections.isEmpty else { throw isHidden }
      try await client.keyringFiles.refuseUnreadable(of: group, client)
      if opens { try await refuseOtherFiles() }
      try await refuseWithoutCollections()
      return GroupClaims()
    }
    let bytes = try await client.secrets(of: markers, obtained: secrets)
    var unreadable: Set<ObjectPath> = []
    for path in markers {
      guard let bytes = bytes[path], !bytes.isEmpty else { continue }
      guard let marker = try? GroupMarker(parsing: bytes, of: group) else {
        unreadable.insert(path.parent)
        continue
      }
      let location = GroupLocation(collection: path.parent, placement: marker.placement)
      if !claims.locations.contains(location) { claims.locations.append(location) }
    }
    let standings = try await GroupProof(client: client, group: group).standings(of: unreadable)
    claims.unreadable = unreadable.filter { standings[$0] != .unproven }.sorted { $0.text < $1.text }
    return claims
  }

  /// Throws `storageFailed` when the daemon has not read the file of a keyring with a marker.
  func refuseNotRead(_ collections: [ObjectPath]) async throws {
    for collection in collections {
      if let error = try await notRead(collection) { throw error }
    }
  }

  /// Returns the error of a call that needs a keyring whose file the daemon has not read; `nil` where it has.
  func notRead(_ collection: ObjectPath) async throws -> SecretStoreError? {
    guard let file = GnomeKeyringFile(collection: collection) else { return nil }
    return try await client.keyringFiles.notRead(file, client)?.error(
      "it belongs to the access group \(group)")
  }

  /// Unlocks the locked collections with a marker that the group's passwords open.
  ///
  /// - Parameter claims: Receives the collections that may be the group's and stay locked.
  /// - Returns: The other collections that stay locked, which are not the group's.
  /// - Throws: The error of the first collection that stays locked, when no collection with a marker is unlocked.
  private func open(_ found: FoundItems, noting claims: inout GroupClaims) async throws -> Set<ObjectPath> {
    var others: Set<ObjectPath> = []
    var failure: (any Error)?
    var isOpen = !found.unlocked.isEmpty
    for collection in Set(found.locked.map(\.parent)).sorted(by: { $0.text < $1.text }) {
      guard try await mayBelongToGroup(collection) else {
        others.insert(collection)
        continue
      }
      do {
        try await unlock(collection)
        isOpen = true
      } catch {
        claims.stillLocked.append(collection)
        failure = failure ?? error
      }
    }
    if let failure, !isOpen { throw failure }
    return others
  }

  /// Returns whether a collection's file is not encrypted, so that the locked collection accepts any password.
  package func isPlain(_ collection: ObjectPath) async throws -> Bool {
    let files = try await client.keyringFiles
    return GnomeKeyringFile(collection: collection).flatMap(files.isEncrypted) == false
  }

  /// Returns whether a locked collection may be the group's.
  ///
  /// On gnome-keyring it is the login or the default collection, has the group's name, in its label or its file's, or a
  /// password of the group belongs to it. Other programs' collections stay locked, whatever items are in them.
  func mayBelongToGroup(_ collection: ObjectPath) async throws -> Bool {
    guard try await client.traits().offersGnomeInterface else { return true }
    if try await hasGroupName(collection) { return true }
    if try await client.isCommon(collection) { return true }
    guard let file = GnomeKeyringFile(collection: collection) else { return false }
    var attributes = ItemAttributes.all(Self.passwordKey, in: group)
    attributes[ItemAttributes.keyring] = file.attribute
    let found = try await client.search(attributes)
    if !found.locked.isEmpty { return true }
    return try await found.unlocked.isEmpty ? false : !ownPasswords(naming: file).isEmpty
  }

  package func hasGroupName(_ collection: ObjectPath) async throws -> Bool {
    if let file = GnomeKeyringFile(collection: collection), file.hasName(group.name) { return true }
    return try await client.label(ofCollection: collection) == group.name
  }

  /// Searches for items of the group, and unlocks their collections without a prompt.
  ///
  /// - Returns: The items. ``FoundItems/locked`` is empty: items in collections that ``open(_:beside:)`` leaves locked
  ///   are left out, and so is a marker in a locked collection.
  /// - Throws: As ``openWhole()``.
  package func search(_ attributes: [String: String]) async throws -> FoundItems {
    var found = try await client.search(attributes)
    guard found.isIncomplete else { return found }
    let claims = try await claims()
    found = try await client.search(attributes)
    if found.locked.isEmpty { return found }
    let markers = try await client.search(markerAttributes).locked
    let locked = Set(found.locked).subtracting(markers)
    let others = try await open(Set(locked.map(\.parent)).sorted { $0.text < $1.text }, beside: claims)
    found = try await client.search(attributes)
    guard found.locked.allSatisfy({ others.contains($0.parent) || markers.contains($0) }) else {
      throw self.locked
    }
    found.locked = []
    return found
  }

  /// Unlocks every collection with items of the group; an interrupted copy, move or repair leaves several.
  ///
  /// - Returns: What the markers say.
  /// - Throws: As ``claims(opening:)``, for any of the collections but those that ``open(_:beside:)`` leaves locked.
  func openWhole() async throws -> GroupClaims {
    let claims = try await claims()
    _ = try await open(lockedCollections(), beside: claims)
    return claims
  }

  /// Unlocks collections with items of the group.
  ///
  /// Any program can store an item under the group's attributes in a collection of its own, and lock it: see
  /// ``mayBelongToGroup(_:)``. While the group is open, a collection of its name is not the group's either when it has
  /// no password, and others are as ``isBesideOwn(_:after:_:)`` says.
  ///
  /// - Returns: The collections that are not the group's and stay locked.
  /// - Throws: As ``unlock(_:)``, for any other collection.
  func open(_ collections: [ObjectPath], beside claims: GroupClaims) async throws -> Set<ObjectPath> {
    var others: Set<ObjectPath> = []
    let isOpen = !claims.locations.isEmpty
    for collection in collections {
      let isForeign = isOpen ? try await isPlain(collection) : false
      guard !isForeign, try await mayBelongToGroup(collection) else {
        others.insert(collection)
        continue
      }
      do {
        try await unlock(collection)
      } catch {
        guard isOpen, try await isBesideOwn(collection, after: error, claims) else { throw error }
        others.insert(collection)
      }
    }
    return others
  }

  /// Returns the locked collections that may be the group's and have records of it, or its marker and its name.
  ///
  /// A collection with only the group's password is not among them.
  package func lockedCollections() async throws -> [ObjectPath] {
    let owner = ItemAttributes.owner(group)
    if try await client.search(owner).locked.isEmpty { return [] }
    var locked: Set<ObjectPath> = []
    for kind in RecordKind.allCases where kind != .groupKey {
      let found = try await client.search(owner.merging(["kind": kind.rawValue]) { $1 })
      for collection in Set(found.locked.map(\.parent)) where !locked.contains(collection) {
        if kind == .group, try await client.label(ofCollection: collection) != group.name { continue }
        if try await mayBelongToGroup(collection) { locked.insert(collection) }
      }
    }
    return locked.sorted { $0.text < $1.text }
  }

  /// Returns the locked collections with a password of the group, such as an earlier login keyring.
  package func lockedPasswords() async throws -> [ObjectPath] {
    let keys = try await client.search(ItemAttributes.all(Self.passwordKey, in: group))
    return Set(keys.locked.map(\.parent)).sorted { $0.text < $1.text }
  }

  /// Returns the group's unlocked keyring where its marker is lost; see ``isUnmarkedKeyring(_:)``.
  func unmarkedKeyring() async throws -> ObjectPath? {
    let keys = try await client.search(ItemAttributes.all(Self.passwordKey, in: group)).unlocked
    for attributes in try await client.attributes(of: keys).values {
      guard let file = GnomeKeyringFile(attribute: attributes[ItemAttributes.keyring]),
        let collection = file.collection, try await isUnmarkedKeyring(collection)
      else { continue }
      return collection
    }
    return nil
  }

  /// Returns whether an unlocked collection without a marker is the group's: it has the group's name and a record of
  /// the group, and ``GroupProof/mayHold(_:)`` says so.
  func isUnmarkedKeyring(_ collection: ObjectPath) async throws -> Bool {
    guard try await client.isLocked(collection) == false, try await !client.isCommon(collection) else {
      return false
    }
    let proof = GroupProof(client: client, group: group)
    guard try await proof.isNamed(collection) else { return false }
    let keys = try await client.search(ItemAttributes.all(Self.passwordKey, in: group)).unlocked
    let records = try await client.search(ItemAttributes.owner(group)).unlocked.filter {
      $0.parent == collection && !keys.contains($0)
    }
    return try await records.isEmpty ? false : proof.mayHold(collection)
  }

  /// Returns the group's unlocked keyring where its marker and its password are lost; `nil` when there is none.
  ///
  /// What is in it would be lost at the next login if the group got another keyring.
  func keyringWithoutPassword() async throws -> ObjectPath? {
    guard let collection = GnomeKeyringFile(label: group.name).collection else { return nil }
    return try await isUnmarkedKeyring(collection) ? collection : nil
  }

  private func markers() async throws -> (found: FoundItems, secrets: [ObjectPath: Secret]?) {
    let replies = try await client.read([markerAttributes])
    return (replies.found.first ?? FoundItems(), replies.secrets)
  }

  /// Throws `groupLocked` when no collection is open that could hold the group, such as with KeePassXC without a
  /// database.
  private func refuseWithoutCollections() async throws {
    let traits = try await client.traits()
    if traits.offersGnomeInterface || traits.offersWalletInterface { return }
    guard try await client.collections().isEmpty else { return }
    throw SecretStoreError(
      .groupLocked, "The Secret Service has no database open: open yours, as in KeePassXC's window.")
  }

  /// The error when no marker was found but a locked collection could hide one.
  private var isHidden: SecretStoreError {
    SecretStoreError(
      .groupLocked, "A locked collection could hold the access group \(group); unlock it first.")
  }

  var locked: SecretStoreError {
    SecretStoreError(.groupLocked, "The access group \(group) is locked, and silent calls never prompt.")
  }
}
