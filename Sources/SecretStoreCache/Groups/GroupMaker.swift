// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import TokenCacheModel

/// Makes a group's collection and marker, without a dialog.
///
/// The order leaves nothing half made: first the password goes into the login collection, then the collection
/// is made with it, then the marker. A later attempt finds what a crash left behind by the password and takes it
/// over. Two apps that start together make one group: all of it is done under one lock for all groups.
struct GroupMaker: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let policy: GroupPlacement
  var interaction = Interaction.never

  static let lock = FileLock(name: "make-group")

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  /// The group's place; it is made when there is none.
  func findOrMake() async throws -> GroupLocation {
    if let found = try await finder.find() { return found }
    return try await Self.lock.run {
      try await inTurn { try await finder.find() }
    }
  }

  /// Makes a collection of its own for a group that shares one, and says so by a second marker, which counts more.
  func makeDedicated() async throws -> GroupLocation {
    try await Self.lock.run {
      try await inTurn {
        guard let found = try await finder.find(), found.placement == .dedicated else { return nil }
        return found
      }
    }
  }

  /// Makes the group when nobody else does, in a process that shares the lock or in one that doesn't.
  ///
  /// - Parameter find: Tells what somebody else has made.
  private func inTurn(_ find: () async throws -> GroupLocation?) async throws -> GroupLocation {
    if let found = try await find() { return found }
    let turn = MakingTurn(client: client, group: group)
    // Who shares the lock need not say so, but has to look whether somebody who doesn't is at it.
    if client.locks.isShared, try await !turn.isTaken(), let made = try await makeAndMark({ true }) {
      return made
    }
    while true {
      let made = try await turn.run { holds in
        if let found = try await find() { return found }
        return try await makeAndMark(holds)
      }
      if let made { return made }
      try await MakingTurn.pause()
      if let found = try await find() { return found }
    }
  }

  /// Makes the place, and says that it is the group's.
  ///
  /// - Parameter holds: Whether it is still this process's turn.
  /// - Returns: The place; `nil` when it is not, and then the place is left without a marker.
  func makeAndMark(_ holds: () async throws -> Bool) async throws -> GroupLocation? {
    let location = try await makePlace()
    guard try await holds() else { return nil }
    try await mark(location)
    client.log(
      .debug, "made the group", ["group": group.description, "placement": location.placement.description])
    return location
  }

  /// Says that a collection is the group's.
  func mark(_ location: GroupLocation) async throws {
    _ = try await client.createItem(
      in: location.collection, label: ItemAttributes.label(RecordKey(kind: .group), in: group),
      attributes: finder.markerAttributes, schema: ItemAttributes.schema,
      secret: GroupMarker(group: group, placement: location.placement).serialized())
  }

  private func makePlace() async throws -> GroupLocation {
    if policy != .shared, let collection = try await makeCollection() {
      return GroupLocation(collection: collection, placement: .dedicated)
    }
    if policy == .dedicated && interaction.timeLimit != nil {
      let made = try await client.createCollection(label: group.name, isDefault: false, interaction)
      return GroupLocation(collection: made, placement: .dedicated)
    }
    if policy == .dedicated {
      throw SecretStoreError(
        .groupLocked,
        "This Secret Service makes a collection only with a dialog, and silent calls never prompt.")
    }
    guard let collection = try await defaultCollection() else {
      throw SecretStoreError(
        .serviceUnavailable, "The Secret Service has no default collection, and silent calls make none.")
    }
    guard try await client.isOpen(collection) else {
      throw SecretStoreError(.groupLocked, "The default collection is locked, and silent calls never prompt.")
    }
    return GroupLocation(collection: collection, placement: .shared)
  }

  /// The default collection; where there is none and a dialog is allowed, a new one.
  private func defaultCollection() async throws -> ObjectPath? {
    if let found = try await client.collection(alias: "default") { return found }
    guard interaction.timeLimit != nil else { return nil }
    return try await client.createCollection(label: "Default", isDefault: true, interaction)
  }

  // MARK: A collection of its own

  /// A new collection, or the one that an earlier attempt left without a marker; `nil` when the provider can't
  /// make one without a dialog.
  private func makeCollection() async throws -> ObjectPath? {
    guard try await client.traits().offersGnomeInterface else { return try await labelledCollection() }
    if let leftover = try await takeOverLeftover() { return leftover }
    return try await newCollection()
  }

  /// A new collection with a password of its own; `nil` when the provider can't make one without a dialog.
  func newCollection() async throws -> ObjectPath? {
    guard let login = try await client.collection(alias: "login") else {
      if interaction.timeLimit != nil { return nil }
      throw SecretStoreError(
        .serviceUnavailable, "The Secret Service has no login collection, and silent calls make none.")
    }
    let password = Self.newPassword()
    let expected = GnomeKeyringFile(label: group.name)
    let item = try await client.createItem(
      in: login, label: ItemAttributes.label(GroupFinder.passwordKey, in: group),
      attributes: passwordAttributes(expected), schema: ItemAttributes.schema, secret: password)
    guard let collection = try await client.createCollection(label: group.name, password: password) else {
      _ = try await client.deleteItem(item)
      return nil
    }
    if let actual = GnomeKeyringFile(collection: collection), actual != expected {
      try await client.setAttributes(passwordAttributes(actual), of: item)
    }
    return collection
  }

  /// A password that is there before its group: its collection if it was made, else the password goes.
  private func takeOverLeftover() async throws -> ObjectPath? {
    let keys = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group))
    guard keys.locked.isEmpty else {
      throw SecretStoreError(.groupLocked, "The login collection is locked, and silent calls never prompt.")
    }
    let secrets = try await client.secrets(of: keys.unlocked)
    for item in keys.unlocked {
      let attribute = try await client.attributes(of: item)[ItemAttributes.keyring]
      if let collection = GnomeKeyringFile(attribute: attribute)?.collection,
        try await client.isLocked(collection) != nil, let password = secrets[item], !password.isEmpty,
        try await client.unlock(collection, password: password) == .unlocked
      {
        return collection
      }
      _ = try await client.deleteItem(item)
    }
    return nil
  }

  /// The collection that the user has made for the group, by giving it the group's name.
  private func labelledCollection() async throws -> ObjectPath? {
    for collection in try await client.collections().sorted(by: { $0.text < $1.text })
    where try await client.label(ofCollection: collection) == group.name {
      guard try await client.isOpen(collection) else {
        throw SecretStoreError(
          .groupLocked, "The collection \(group.name) is locked, and silent calls never prompt.")
      }
      return collection
    }
    return nil
  }

  private func passwordAttributes(_ file: GnomeKeyringFile) -> [String: String] {
    var attributes = ItemAttributes.all(GroupFinder.passwordKey, in: group)
    attributes[ItemAttributes.keyring] = file.attribute
    return attributes
  }

  /// 256 random bits, as 64 hexadecimal digits: a password that a person could type if need be.
  private static func newPassword() -> Secret {
    let digits = Array("0123456789abcdef".utf8)
    var random = SystemRandomNumberGenerator()  // the kernel's generator, fit for keys
    var password = (0..<64).map { _ in digits[Int.random(in: 0..<16, using: &random)] }
    return Secret(wiping: &password)
  }
}
