// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Finds the groups that there are, also those that have lost their marker or their password.
struct KnownGroups: Sendable {
  let client: SecretServiceClient

  /// What was found.
  struct Found: Sendable {
    var groups: Set<AccessGroup> = []
    /// The labels of locked collections that are a group's, of which nothing tells whose.
    var unknown: [String] = []
    /// The labels of locked collections that may hold groups.
    var hiding: Set<String> = []
  }

  /// - Parameter publishers: Whose groups locked collections are tried for, besides those of nobody.
  func find(publishers: Set<Publisher>) async throws -> Found {
    var found = Found()
    var lockedMarkers: [ObjectPath] = []
    var dedicated: Set<ObjectPath> = []
    for kind in RecordKind.allCases {
      let items = try await client.search(["kind": kind.rawValue])
      if kind == .group {
        lockedMarkers = items.locked
        for path in items.hiding { found.hiding.insert(try await client.label(ofCollection: path)) }
      }
      // What lies beside the marker of the one group that a collection has need not be asked whose it is.
      let asked = items.unlocked.filter { !dedicated.contains($0.parent) }
      let attributes = try await client.attributes(of: asked)
      found.groups.formUnion(attributes.values.compactMap(Self.group(of:)))
      if kind == .group { dedicated = try await ownCollections(asked) }
    }
    let owners = publishers.union(found.groups.compactMap(\.publisher)).map { Optional($0) } + [nil]
    for marker in lockedMarkers {
      if let group = Self.group(of: try await client.attributes(of: marker)) {
        found.groups.insert(group)
        continue
      }
      let label = try await client.label(ofCollection: marker.parent)
      if let group = try await owner(of: marker, label, owners) {
        found.groups.insert(group)
      } else {
        found.unknown.append(label)
      }
    }
    return found
  }

  /// The collections whose only marker says that they are a group's own.
  private func ownCollections(_ markers: [ObjectPath]) async throws -> Set<ObjectPath> {
    let secrets = try await client.secrets(of: markers)
    let own = markers.filter { path in
      secrets[path].flatMap { try? GroupMarker(parsing: $0) }?.placement == .dedicated
        && markers.count { $0.parent == path.parent } == 1
    }
    return Set(own.map(\.parent))
  }

  /// The group whose marker a locked one is: a search by the plain values finds what is stored as digests.
  private func owner(
    of marker: ObjectPath, _ label: String, _ publishers: [Publisher?]
  ) async throws -> AccessGroup? {
    for publisher in publishers {
      guard let group = try? AccessGroup(label, publisher: publisher) else { continue }
      let found = try await client.search(GroupFinder(client: client, group: group).markerAttributes)
      if found.locked.contains(marker) { return group }
    }
    return nil
  }

  private static func group(of attributes: [String: String]) -> AccessGroup? {
    guard let name = attributes["group"], let publisher = attributes["publisher"] else { return nil }
    if publisher.isEmpty { return try? AccessGroup(name) }
    guard let owner = try? Publisher(publisher) else { return nil }
    return try? AccessGroup(name, publisher: owner)
  }
}
