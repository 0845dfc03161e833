// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Lists the groups by their markers, and those without one by their records.
struct GroupList: Sendable {
  let client: SecretServiceClient

  /// Returns a summary for each group with a marker, for each keyring of a group that the daemon can't read or that has
  /// lost its marker, and for each shared collection with records of a group that has no marker.
  ///
  /// - Throws: `storageFailed` when there seems to be no group only because the daemon has not read the keyrings.
  func summaries() async throws -> [GroupSummary] {
    let found = try await client.search(["kind": RecordKind.group.rawValue])
    var summaries = try await marked(by: found.unlocked)
    let files = try await namedFiles()
    for path in found.locked {
      let group = files.first { $0.file.collection == path.parent }?.group
      summaries.append(
        GroupSummary(
          group: group, collection: try await client.label(ofCollection: path.parent), placement: nil,
          isLocked: true))
    }
    let marked = Set(found.locked.map(\.parent))
    let keyrings = try await client.keyringFiles
    for (file, group) in files where keyrings.exists(file) {
      guard let collection = file.collection, !marked.contains(collection) else { continue }
      switch try await client.isLocked(collection) {
      case false: continue
      case true:
        guard try await GroupProof(client: client, group: group).isNamed(collection) else { continue }
      default: break  // The daemon can't read the file.
      }
      summaries.append(GroupSummary(group: group, collection: group.name, placement: nil, isLocked: true))
    }
    var listed = Set(summaries.compactMap(\.group))
    for (file, group) in files where !listed.contains(group) {
      guard let keyring = file.collection,
        try await GroupFinder(client: client, group: group).isUnmarkedKeyring(keyring)
      else { continue }
      listed.insert(group)
      summaries.append(
        GroupSummary(
          group: group, collection: try await client.label(ofCollection: keyring), placement: nil,
          isLocked: false))
    }
    for (group, collection) in try await unmarked(besides: listed) {
      summaries.append(
        GroupSummary(
          group: group, collection: try await client.label(ofCollection: collection), placement: nil,
          isLocked: false))
    }
    for collection in found.unsearchedCollections {
      summaries.append(
        GroupSummary(
          group: nil, collection: try await client.label(ofCollection: collection), placement: nil,
          isLocked: true))
    }
    if summaries.isEmpty { try await keyrings.refuseMissedLogin("an access group", client) }
    return summaries.sorted {
      ($0.group?.qualifiedName ?? $0.collection) < ($1.group?.qualifiedName ?? $1.collection)
    }
  }

  /// Returns a summary for each group with an unlocked marker.
  ///
  /// Any program can write one. A marker that names another group than its attributes counts as one that can't be read:
  /// it counts where the group has no other and its place may be the group's own. Of several that can be read, the one
  /// in the group's collection counts; each, where nothing shows which one that is.
  private func marked(by markers: [ObjectPath]) async throws -> [GroupSummary] {
    let secrets = try await client.secrets(of: markers)
    let attributes = try await client.attributes(of: markers)
    var placements: [AccessGroup: [ObjectPath: GroupPlacement?]] = [:]
    var unreadable: [AccessGroup: Set<ObjectPath>] = [:]
    for path in markers {
      guard let bytes = secrets[path], !bytes.isEmpty,
        let group = attributes[path].flatMap(ItemAttributes.group)
      else { continue }
      if let marker = try? GroupMarker(parsing: bytes), marker.group == group {
        placements[group, default: [:]][path.parent] = marker.placement
      } else {
        unreadable[group, default: []].insert(path.parent)
      }
    }
    for (group, collections) in unreadable where placements[group] == nil {
      let standings = try await GroupProof(client: client, group: group).standings(of: collections)
      for collection in collections where standings[collection] != .unproven {
        placements[group, default: [:]][collection] = .some(nil)
      }
    }
    var summaries: [GroupSummary] = []
    for (group, found) in placements {
      var found = found
      if found.count > 1, let home = try await GroupProof(client: client, group: group).home() {
        found = found.filter { $0.key == home.collection }
      }
      for (collection, placement) in found {
        summaries.append(
          GroupSummary(
            group: group, collection: try await client.label(ofCollection: collection), placement: placement,
            isLocked: false))
      }
    }
    return summaries
  }

  /// Returns the groups without a marker that have records in the login or default collection, with that collection.
  ///
  /// Another program has deleted the marker. What is in a collection that may not hold the group's records doesn't count.
  private func unmarked(besides listed: Set<AccessGroup>) async throws -> [(AccessGroup, ObjectPath)] {
    var shared: Set<ObjectPath> = []
    for alias in ["login", "default"] {
      if let collection = try await client.collection(alias: alias) { shared.insert(collection) }
    }
    var items: [ObjectPath] = []
    for kind in [RecordKind.credentials, .family, .client, .legacy, .secret] {
      items += try await client.search(["kind": kind.rawValue]).unlocked.filter { shared.contains($0.parent) }
    }
    let attributes = try await client.attributes(of: items)
    let foreign = try await client.foreign(among: attributes)
    var found: [AccessGroup: Set<ObjectPath>] = [:]
    for (item, attributes) in attributes where !foreign.contains(item) {
      guard let group = ItemAttributes.group(attributes), !listed.contains(group) else { continue }
      found[group, default: []].insert(item.parent)
    }
    var unmarked: [(AccessGroup, ObjectPath)] = []
    for (group, collections) in found {
      let standings = try await GroupProof(client: client, group: group).standings(of: collections)
      unmarked += collections.filter { standings[$0] == .proven }.map { (group, $0) }
    }
    return unmarked
  }

  /// Returns the keyring files that passwords in an unlocked login collection name, with the groups of the passwords.
  private func namedFiles() async throws -> [(file: GnomeKeyringFile, group: AccessGroup)] {
    let keys = try await client.search(["kind": RecordKind.groupKey.rawValue]).unlocked
    return try await client.attributes(of: keys).values.compactMap { attributes in
      guard let file = GnomeKeyringFile(attribute: attributes[ItemAttributes.keyring]),
        let group = ItemAttributes.group(attributes)
      else { return nil }
      return (file, group)
    }
  }
}
