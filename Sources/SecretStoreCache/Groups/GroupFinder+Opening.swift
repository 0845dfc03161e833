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

  /// Returns whether a locked collection of the group's name is another one than the group's own, which is open.
  ///
  /// The group's password opens the own one, and none is left that could open the other.
  func isNamesake(
    _ collection: ObjectPath, after error: any Error, _ claims: GroupClaims
  ) async throws -> Bool {
    guard (error as? SecretStoreError)?.code == .groupUnrecoverable,
      try await !client.isCommon(collection)
    else { return false }
    let proof = GroupProof(client: client, group: group)
    do {
      guard let own = try await proof.provenLocation(of: claims), own.placement == .dedicated else {
        return false
      }
      let daemon = try await client.connection().daemon
      let known = GroupCollection(collection: own.collection, group: group, daemon: daemon)
      if client.openedCollections.withLock({ $0.contains(known) }) { return true }
      guard try await proof.opensWithGroupPassword(own.collection) else { return false }
      // To try a password makes the daemon write the keyring's file.
      client.openedCollections.withLock { _ = $0.insert(known) }
      return true
    } catch let error as SecretStoreError where [.corruptItem, .groupLocked].contains(error.code) {
      return false
    }
  }
}
