// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension GroupFinder {
  /// Unlocks the group as an app's calls do, without a prompt.
  ///
  /// - Returns: The group's location; `nil` when there is no such group, or its markers don't tell.
  /// - Throws: As ``openWhole()``.
  package func openLocation() async throws -> GroupLocation? {
    do {
      return try await provenLocation(of: try await openWhole())
    } catch SecretStoreError.Code.corruptItem {
      return nil
    }
  }

  /// Unlocks the collections that the group's stored passwords belong to when no marker names a collection.
  package func openLeftovers() async throws {
    let keys = try await client.search(ItemAttributes.all(Self.passwordKey, in: group)).unlocked
    for key in keys {
      let attribute = try await client.attributes(of: key)[ItemAttributes.keyring]
      guard let collection = GnomeKeyringFile(attribute: attribute)?.collection,
        try await client.isLocked(collection) == true
      else { continue }
      try await unlock(collection)
    }
  }
}
