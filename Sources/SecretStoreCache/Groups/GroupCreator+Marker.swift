// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension GroupCreator {
  /// Stores the group's marker in a collection, unless there is one that only a newer version understands.
  ///
  /// A marker that can't be read stays as it is.
  ///
  /// - Parameter others: The collections from which the group's records come.
  package func mark(_ location: GroupLocation, from others: [ObjectPath] = []) async throws {
    let finder = GroupFinder(client: client, group: group)
    let present = try await client.search(finder.markerAttributes).unlocked
      .filter { $0.parent == location.collection }
    let contents = try await client.secrets(of: present).values
    if contents.contains(where: GroupMarker.isOfNewerVersion) { return }
    var marker = GroupMarker(group: group, placement: location.placement)
    marker.otherCollections = others
    if !client.locks.isShared { marker.unsharedLockWriters = .now() }
    _ = try await client.createItem(
      in: location.collection, label: ItemAttributes.label(RecordKey(kind: .group), in: group),
      attributes: finder.markerAttributes, schema: ItemAttributes.schema,
      secret: marker.serialized(), replaces: contents.allSatisfy(\.isEmpty))
  }

  /// Notes in the group's marker another collection to which its records are moved.
  func note(_ collection: ObjectPath, at location: GroupLocation) async throws {
    try await changeOtherCollections(at: location) { $0 + ($0.contains(collection) ? [] : [collection]) }
  }

  /// Leaves out of the group's marker the other collections that a move is done with.
  ///
  /// The path of one that is gone may become that of another program's. What a completed move leaves of the group in
  /// one stays there. One that has items of others only stays in the marker.
  ///
  /// - Parameter moved: The collections from which the group was moved.
  package func forget(_ moved: [ObjectPath], at location: GroupLocation) async throws {
    let found = try await client.search(ItemAttributes.owner(group))
    let holders = Set((found.unlocked + found.locked).map(\.parent)).intersection(moved)
    try await changeOtherCollections(at: location) { noted in
      var present: [ObjectPath] = []
      for collection in noted where !holders.contains(collection) {
        if try await client.isLocked(collection) != nil { present.append(collection) }
      }
      return present
    }
  }

  private func changeOtherCollections(
    at location: GroupLocation, _ change: ([ObjectPath]) async throws -> [ObjectPath]
  ) async throws {
    let markers = try await client.search(GroupFinder(client: client, group: group).markerAttributes).unlocked
      .filter { $0.parent == location.collection }
    for (path, content) in try await client.secrets(of: markers) {
      guard var marker = try? GroupMarker(parsing: content, of: group) else { continue }
      let changed = try await change(marker.otherCollections)
      if changed == marker.otherCollections { continue }
      marker.otherCollections = changed
      try await client.setSecret(marker.serialized(), of: path)
    }
  }
}
