// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The groups of other publishers that have a group's name, as their markers in unlocked keyrings state them.
struct SameNamedGroups: Sendable {
  /// Their items, also in locked keyrings.
  let items: Set<ObjectPath>

  private let client: SecretServiceClient
  /// The groups, with the keyrings of their markers.
  private let keyrings: [AccessGroup: Set<ObjectPath>]

  /// Looks for the groups and their items.
  ///
  /// Any program can store many items of a publisher, so that they are searched for and not looked at one by one.
  init(as group: AccessGroup, _ client: SecretServiceClient) async throws {
    self.client = client
    let markers = try await client.search(["group": group.name, "kind": RecordKind.group.rawValue]).unlocked
    var keyrings: [AccessGroup: Set<ObjectPath>] = [:]
    for (marker, attributes) in try await client.attributes(of: markers) {
      guard let other = ItemAttributes.group(attributes), other != group else { continue }
      keyrings[other, default: []].insert(marker.parent)
    }
    self.keyrings = keyrings
    var items: Set<ObjectPath> = []
    for other in keyrings.keys {
      let found = try await client.search(ItemAttributes.owner(other))
      items.formUnion(found.unlocked + found.locked)
    }
    self.items = items
  }

  /// Returns those of the keyrings that are proven to be the own keyring of one of the groups.
  func own(among keyrings: Set<ObjectPath>) async throws -> Set<ObjectPath> {
    var own: Set<ObjectPath> = []
    for (group, marked) in self.keyrings where !marked.isDisjoint(with: keyrings) {
      if let keyring = try await GroupProof(client: client, group: group).ownKeyring() { own.insert(keyring) }
    }
    return own.intersection(keyrings)
  }
}

extension GroupProof {
  /// Returns the group's own keyring; `nil` where it has none or nothing shows which one it is.
  func ownKeyring() async throws -> ObjectPath? {
    let home = try await home()
    return home?.placement == .dedicated ? home?.collection : nil
  }
}
