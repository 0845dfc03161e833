// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Lists the groups by their markers.
struct GroupList: Sendable {
  let client: SecretServiceClient

  func summaries() async throws -> [GroupSummary] {
    let found = try await client.search(["kind": RecordKind.group.rawValue])
    let secrets = try await client.secrets(of: found.unlocked)
    var summaries: [GroupSummary] = []
    for path in found.unlocked {
      guard let bytes = secrets[path], !bytes.isEmpty else { continue }
      let marker = try? GroupMarker(parsing: bytes)
      guard let group = if let marker { marker.group } else { try await statedGroup(of: path) } else {
        continue
      }
      summaries.append(
        GroupSummary(
          group: group, collection: try await client.label(ofCollection: path.parent),
          placement: marker?.placement, isLocked: false))
    }
    let names = found.locked.isEmpty ? [:] : try await lockedNames()
    for path in found.locked {
      summaries.append(
        GroupSummary(
          group: names[path.parent], collection: try await client.label(ofCollection: path.parent),
          placement: nil, isLocked: true)
      )
    }
    for collection in found.unsearchedCollections {
      summaries.append(
        GroupSummary(
          group: nil, collection: try await client.label(ofCollection: collection), placement: nil,
          isLocked: true))
    }
    return summaries.sorted {
      ($0.group?.description ?? $0.collection) < ($1.group?.description ?? $1.collection)
    }
  }

  /// Returns the group that the attributes of a marker state which can't be read; `nil` where the collection is another
  /// program's.
  private func statedGroup(of marker: ObjectPath) async throws -> AccessGroup? {
    guard let group = ItemAttributes.group(try await client.attributes(of: marker)) else { return nil }
    let standings = try await GroupProof(client: client, group: group).standings(of: [marker.parent])
    return standings[marker.parent] == .refuted ? nil : group
  }

  /// Returns the groups of locked collections, by the attributes of the passwords in an unlocked login collection.
  private func lockedNames() async throws -> [ObjectPath: AccessGroup] {
    let keys = try await client.search(["kind": RecordKind.groupKey.rawValue])
    var names: [ObjectPath: AccessGroup] = [:]
    for path in keys.unlocked {
      let attributes = try await client.attributes(of: path)
      guard
        let collection = GnomeKeyringFile(attribute: attributes[ItemAttributes.keyring])?.collection
      else { continue }
      names[collection] = ItemAttributes.group(attributes)
    }
    return names
  }
}
