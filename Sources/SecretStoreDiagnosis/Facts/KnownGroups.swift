// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A search for all groups, including those that lost their marker or their password.
struct KnownGroups: Sendable {
  let client: SecretServiceClient

  /// The result of the search.
  struct Found: Sendable {
    var groups: Set<AccessGroup> = []
    /// The labels of locked collections that belong to a group whose publisher is not known.
    var unknown: [String] = []
    /// The first of these that no app can open.
    var withoutPassword: CollectionWithoutPassword?
    /// The labels of locked collections that may hold groups.
    var unsearchedCollections: Set<String> = []
    /// The keyrings of groups that were not found otherwise, whose files the daemon has not read.
    var unread: Set<KeyringDamage> = []
    /// The files that are copies of the login keyring's, each with the path of that one.
    var copies: [String: String] = [:]
    /// The keyrings, of whichever program, whose files are closed to this user.
    var closed: Set<KeyringDamage> = []
  }

  /// Finds all groups.
  ///
  /// - Parameter publishers: The publishers whose groups are tried for locked collections, in addition to the
  ///   publishers of groups that were found and to no publisher.
  func find(publishers: Set<Publisher>) async throws -> Found {
    var found = Found()
    var lockedMarkers: [ObjectPath] = []
    var marked: Set<ObjectPath> = []
    var dedicated: Set<ObjectPath> = []
    for kind in RecordKind.allCases {
      let items = try await client.search(["kind": kind.rawValue])
      if kind == .group {
        lockedMarkers = items.locked
        marked = Set((items.unlocked + items.locked).map(\.parent))
        for path in items.unsearchedCollections {
          found.unsearchedCollections.insert(try await client.label(ofCollection: path))
        }
      }
      // Items in a dedicated collection belong to its group, so their attributes are not read.
      let asked = items.unlocked.filter { !dedicated.contains($0.parent) }
      let attributes = try await client.attributes(of: asked)
      found.groups.formUnion(attributes.values.compactMap(ItemAttributes.group))
      if kind == .group { dedicated = try await ownCollections(asked) }
    }
    let owners = publishers.union(found.groups.compactMap(\.publisher)).map { Optional($0) } + [nil]
    let owned = try await lockedMarkers.isEmpty ? [] : ownedMarkers(of: found.groups)
    // A marker that is gone is left out: gnome-keyring lists those of a file that has appeared since it started.
    for (marker, attributes) in try await client.attributes(of: lockedMarkers) where !owned.contains(marker) {
      if let group = ItemAttributes.group(attributes) {
        found.groups.insert(group)
        continue
      }
      let label = try await client.label(ofCollection: marker.parent)
      if let group = try await owner(of: marker, names(label, marker.parent), owners) {
        found.groups.insert(group)
      } else {
        found.unknown.append(label)
      }
    }
    for label in found.unknown.sorted() where found.withoutPassword == nil {
      found.withoutPassword = try await CollectionWithoutPassword.named(label, in: client)
    }
    try await findUnread(marked, &found)
    found.closed = try await closed().subtracting(found.unread)
    return found
  }

  /// Finds the keyrings of groups whose files the daemon has not read, whether or not it lists their markers.
  ///
  /// A copy of another group's file costs nothing.
  private func findUnread(_ marked: Set<ObjectPath>, _ found: inout Found) async throws {
    guard try await client.traits().offersGnomeInterface else { return }
    let files = try await client.keyringFiles
    let listed = Set(marked.compactMap { GnomeKeyringFile(collection: $0) })
    let all = files.isOfLoginSession ? files.all : []
    let login = files.label(of: KeyringFiles.login)
    for file in listed.union(all) where file != KeyringFiles.login {
      guard let damage = try await files.notRead(file, client),
        listed.contains(file) || files.hasGroupItems(file)
      else { continue }
      if let login, files.label(of: file) == login,
        let original = try await files.original(ofCopy: file, client)
      {
        found.copies[files.path(of: file)] = original
        continue
      }
      let label = files.label(of: file)
      if !found.groups.contains(where: { $0.name == label }) { found.unread.insert(damage) }
    }
  }

  /// Returns the keyrings whose files are closed to this user, so that nothing shows whether they are a group's.
  private func closed() async throws -> Set<KeyringDamage> {
    guard try await client.traits().offersGnomeInterface else { return [] }
    let files = try await client.keyringFiles
    guard files.isOfLoginSession else { return [] }
    var closed: Set<KeyringDamage> = []
    for file in files.all where file != KeyringFiles.login {
      if let damage = try await files.notRead(file, client), damage.isClosed { closed.insert(damage) }
    }
    return closed
  }

  /// Returns the collections whose only marker says that they are dedicated to one group.
  private func ownCollections(_ markers: [ObjectPath]) async throws -> Set<ObjectPath> {
    let secrets = try await client.secrets(of: markers)
    let own = markers.filter { path in
      secrets[path].flatMap { try? GroupMarker(parsing: $0) }?.placement == .dedicated
        && markers.count { $0.parent == path.parent } == 1
    }
    return Set(own.map(\.parent))
  }

  /// Returns the locked markers of groups that are known, as by a password in the login collection.
  private func ownedMarkers(of groups: Set<AccessGroup>) async throws -> Set<ObjectPath> {
    var owned: Set<ObjectPath> = []
    for group in groups {
      let finder = GroupFinder(client: client, group: group)
      owned.formUnion(try await client.search(finder.markerAttributes).locked)
    }
    return owned
  }

  /// Returns the names that a collection's group may have: its label, and the name that it was made with, which its
  /// file keeps.
  private func names(_ label: String, _ collection: ObjectPath) -> [String] {
    [label] + (GnomeKeyringFile(collection: collection)?.firstLabels ?? [])
  }

  /// Returns the group of a locked marker.
  ///
  /// Its attributes are stored as digests. A search with the plain values finds them.
  private func owner(
    of marker: ObjectPath, _ names: [String], _ publishers: [Publisher?]
  ) async throws -> AccessGroup? {
    for (publisher, name) in publishers.flatMap({ publisher in names.map { (publisher, $0) } }) {
      guard let group = try? AccessGroup(name, publisher: publisher) else { continue }
      let found = try await client.search(GroupFinder(client: client, group: group).markerAttributes)
      if found.locked.contains(marker) { return group }
    }
    return nil
  }
}
