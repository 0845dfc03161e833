// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Looks for what a removal has left of an app's secret: copies that can't be read, also those that were set aside.
struct SecretRemovalCheck: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let secret: RecordKey

  /// Returns the items in locked collections.
  func locked() async throws -> Set<ObjectPath> {
    let own = try await client.search(ItemAttributes.identifying(secret, in: group)).locked
    // An item that was set aside names its secret at the end of its key only.
    let setAside = try await client.search(ItemAttributes.setAside(in: group)).locked
    let attributes = try await client.attributes(of: setAside)
    return Set(own + setAside.filter { attributes[$0].map(mayBeCopy) != false })
  }

  /// Returns the items in unlocked collections, without other programs' items.
  func unlocked() async throws -> [ObjectPath] {
    let paths =
      try await client.search(ItemAttributes.identifying(secret, in: group)).unlocked
      + client.search(ItemAttributes.setAside(in: group)).unlocked
    let attributes = try await client.attributes(of: paths)
    let secrets = try await client.secrets(of: paths)
    let foreign = try await client.foreign(among: attributes)
    return paths.filter { path in
      !foreign.contains(path)
        && attributes[path].flatMap(ItemAttributes.key).map { key in
          // A secret that was stored meanwhile can be read.
          key.originalOfSetAside == secret
            || key == secret && secrets[path]?.document?.metadata.record != secret
        } == true
    }
  }

  /// Returns whether a locked item that was set aside may be a copy of the secret; the attributes may be digests.
  private func mayBeCopy(_ attributes: [String: String]) -> Bool {
    guard let key = ItemAttributes.key(attributes) else { return true }
    return key.originalOfSetAside == secret
  }
}
