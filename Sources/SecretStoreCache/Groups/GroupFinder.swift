// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import TokenCacheModel

/// Finds a group's collection by its marker, and unlocks it without a dialog.
struct GroupFinder: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  private static let markerKey = RecordKey(kind: .group)
  static let passwordKey = RecordKey(kind: .groupKey)

  var markerAttributes: [String: String] { ItemAttributes.all(Self.markerKey, in: group) }

  /// The group's place, unlocked.
  ///
  /// - Parameter opens: Whether a locked group is opened, without a dialog.
  /// - Returns: The place, or `nil` when it is certain that there is no such group.
  /// - Throws: `groupLocked` or `groupUnrecoverable` when it can't be opened silently; `corruptItem` when its
  ///   marker does not decode.
  func find(opening opens: Bool = true) async throws -> GroupLocation? {
    var (found, secrets) = try await markers()
    if found.unlocked.isEmpty && !found.locked.isEmpty {
      guard opens else { throw self.locked }
      try await unlock(anyOf: Set(found.locked.map(\.parent)).sorted { $0.text < $1.text })
      (found, secrets) = try await self.markers()
    }
    let markers = found.unlocked.sorted { $0.text < $1.text }
    if markers.isEmpty {
      guard !found.isIncomplete else { throw isHidden(by: found) }
      return nil
    }
    let bytes = try await client.secrets(of: markers, obtained: secrets)
    var places: [GroupLocation] = []
    for path in markers {
      guard let bytes = bytes[path], !bytes.isEmpty else { continue }
      let marker = try GroupMarker(parsing: bytes)
      places.append(GroupLocation(collection: path.parent, placement: marker.placement))
    }
    return places.count > 1 ? try await own(places) : places.first
  }

  /// The group's place, with every keyring open that holds something of the group: a copy, a move or a repair that was
  /// cut short leaves several.
  ///
  /// - Throws: As ``find(opening:)``, for any of them.
  func findWhole() async throws -> GroupLocation? {
    let place = try await find()
    for collection in try await lockedCollections() { try await unlock(collection) }
    return place
  }

  /// The locked collections that hold records or markers of the group; its password is in the login collection.
  func lockedCollections() async throws -> [ObjectPath] {
    let owner = ItemAttributes.owner(group)
    if try await client.search(owner).locked.isEmpty { return [] }
    var locked: Set<ObjectPath> = []
    for kind in RecordKind.allCases where kind != .groupKey {
      let found = try await client.search(owner.merging(["kind": kind.rawValue]) { $1 })
      locked.formUnion(found.locked.map(\.parent))
    }
    return locked.sorted { $0.text < $1.text }
  }

  private func markers() async throws -> (found: FoundItems, secrets: [ObjectPath: Secret]?) {
    let answers = try await client.read([markerAttributes])
    return (answers.found.first ?? FoundItems(), answers.secrets)
  }

  /// Of several places, as a move leaves them that did not come to its end, the collection of the group's own.
  private func own(_ places: [GroupLocation]) async throws -> GroupLocation? {
    for place in places where place.placement == .dedicated {
      if try await !client.isCommon(place.collection) { return place }
    }
    return places.first
  }

  /// Absent is only what no locked collection could hide.
  private func isHidden(by found: FoundItems) -> SecretStoreError {
    let detail =
      found.locked.isEmpty
      ? "A locked collection could hold the access group \(group); unlock it first."
      : "The access group \(group) is locked."
    return SecretStoreError(.groupLocked, detail)
  }

  /// Unlocks one of several collections that markers are in, as a move or a repair leaves them that was cut short.
  private func unlock(anyOf collections: [ObjectPath]) async throws {
    var failure: any Error = locked
    for collection in collections {
      do { return try await unlock(collection) } catch { failure = error }
    }
    throw failure
  }

  /// Unlocks the group's collection by the password in the login collection.
  ///
  /// That is the one that the group was made with, or one that a person chose and gnome-keyring remembers itself.
  func unlock(_ collection: ObjectPath) async throws {
    guard try await client.traits().offersGnomeInterface else { throw locked }
    let keys = try await client.search(ItemAttributes.all(Self.passwordKey, in: group))
    if try await open(collection, with: keys.unlocked) { return }
    if let file = GnomeKeyringFile(collection: collection) {
      let remembered = try await client.search([ItemAttributes.keyring: file.attribute])
      let untried = remembered.unlocked.filter { !keys.unlocked.contains($0) }
      if try await open(collection, with: untried) { return }
    }
    guard keys.locked.isEmpty, try await isLostForGood(collection) else { throw locked }
    throw SecretStoreError(
      .groupUnrecoverable,
      "The access group \(group) is locked and its password is gone from the login keyring or is refused;"
        + " unless a person knows its password, nothing can open it again.")
  }

  /// Tries the passwords that are in items.
  private func open(_ collection: ObjectPath, with items: [ObjectPath]) async throws -> Bool {
    let secrets = try await client.secrets(of: items)
    for password in items.compactMap({ secrets[$0] }) where !password.isEmpty {
      switch try await client.unlock(collection, password: password) {
      case .unlocked:
        client.log(.debug, "opened the group", ["group": group.description])
        return true
      case .unsupported: throw locked
      case .denied: continue
      }
    }
    return false
  }

  /// Whether the login collection is open and the locked one is another: then no password is left to come.
  private func isLostForGood(_ collection: ObjectPath) async throws -> Bool {
    guard let login = try await client.collection(alias: "login") else { return true }
    if login == collection { return false }
    if try await client.collection(alias: "default") == collection { return false }
    return try await client.isLocked(login) == false
  }

  private var locked: SecretStoreError {
    SecretStoreError(.groupLocked, "The access group \(group) is locked, and silent calls never prompt.")
  }
}
