// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Writing under a lock that all writers of the group share, according to the group's marker.
extension SecretServiceBackend {
  /// The number of attempts at a change while the record keeps disappearing together with its group.
  private static let attempts = 5

  func updateShared<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    for _ in 1..<Self.attempts {
      do {
        return try await attempt(key, change)
      } catch is WriteConflict {
      } catch is UnsharedLockWritersSeen {
        return try await updateUnshared(key, change)
      }
    }
    do {
      return try await attempt(key, change)
    } catch is WriteConflict {
      throw SecretStoreError(.storageFailed, "The record was removed again and again while it was written.")
    }
  }

  /// Apps that don't share the lock write the group; nothing was written.
  private struct UnsharedLockWritersSeen: Error {}

  private func attempt<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    var creation: FileLock.Hold? = try await GroupCreator.creation(of: group).hold(.shared)
    defer { withExtendedLifetime(creation) {} }
    let validity = try await client.connection().validity
    let read = try await reopening { try await changeable(key) }
    if read.writers.requireVerification() { throw UnsharedLockWritersSeen() }
    if let item = read.item, DamagedRecord(item.record) != nil {
      creation = nil
      if try await makesGroup(beside: item) { throw WriteConflict() }
    }
    let stored = try read.item?.record.document()
    let (outcome, action) = try RecordChange.apply(change, to: stored, key: key)
    let version = try VersionFile(of: key, in: group)
    switch action {
    case .nothing:
      // The record has been read after a writer that crashed or got no reply, so its version can be settled.
      if version.read()?.isSettled == false { try version.settle() }
    case .write(var document):
      var target = read.item
      if let item = read.item {
        try await reopening {
          try await raiseRevision(of: &document, above: read.copies, besides: item, key)
        }
        if !read.copies.contains(item.path) {
          // Another program has changed the item's attributes. Nobody would find what is written to it.
          known.withLock { $0.forget(key) }
          target = nil
        }
      }
      let path = try await signalingChange(version) {
        try await reopening {
          try await write(
            document, key, over: target, at: read.claims, readIn: validity, releasing: &creation)
        }
      }
      if let stored, document.secretLabel != stored.secretLabel {
        try await setLabel(document.secretLabel, key)
      }
      if document.makesCopiesObsolete(key.kind, over: stored) {
        try await reopening { try await deleteOlderCopies(of: key, besides: path) }
      }
    case .remove:
      try await signalingChange(version) { try await reopening { try await delete(key) } }
    }
    return outcome
  }

  /// Creates the group where there is none, beside an item that can't be read.
  ///
  /// - Returns: Whether the group is in another collection, so that the item isn't its record.
  private func makesGroup(beside item: StoredItem) async throws -> Bool {
    let creator = GroupCreator(client: client, group: group, policy: placement)
    return try await creator.findOrMake().location.collection != item.path.parent
  }

  func removeShared(_ key: RecordKey) async throws {
    let others = try await reopening { try await writers(beside: key) }
    if others.requireVerification() { return try await removeUnshared(key) }
    try await signalingChange(try VersionFile(of: key, in: group)) {
      try await reopening { try await delete(key) }
    }
  }
}
