// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Writing where this app shares no lock with other apps.
///
/// Each write adds its random name to the document. Right before a write, the stored record is compared with the one
/// that the change was computed from. After the write, the record is read again once all writes that were on their way
/// have arrived. If the stored document lacks the name, another app wrote without having seen this write, and the
/// change is applied again to what that app stored.
extension SecretServiceBackend {
  /// The stored record from which a change is computed.
  private struct Base {
    let validity: PathValidity
    let item: StoredItem?
    let claims: GroupClaims?

    func document() throws(SecretStoreError) -> CacheDocument? { try item?.record.document() }

    func isSame(as other: Base) -> Bool {
      item?.path == other.item?.path && (try? item?.record.document()) == (try? other.item?.record.document())
    }
  }

  func updateUnshared<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    var made: [String: Outcome] = [:]
    try await announceUnsharedWriter(key, makingGroup: true)
    while true {
      let base = try await base(of: key)
      let stored = try base.document()
      // Another app may have based its document on a write of this call that seemed to be overwritten.
      if let name = stored?.writes.last(where: { made[$0] != nil }), let outcome = made[name] {
        if try await containsWrite(name, key) { return outcome }
      } else {
        let (outcome, action) = try RecordChange.apply(change, to: stored, key: key)
        switch action {
        case .nothing: return outcome
        case .write(let document):
          let name = ItemAttributes.randomKey()
          made[name] = outcome
          if try await writeIfUnchanged(document.written(by: name), key, base) {
            if try await containsWrite(name, key) {
              let label = document.secretLabel
              if let stored, label != stored.secretLabel { try await setLabel(label, key) }
              if document.makesCopiesObsolete(key.kind, over: stored) { try await deleteOlderCopies(of: key) }
              return outcome
            }
            if stored == nil { try await deleteSecond(name, key) }
          }
        case .remove:
          if try await sendIfUnchanged({ try await delete(key, during: $0) }, key, base),
            try await !isSuccessor(settled(key), of: stored)
          {
            return outcome
          }
        }
      }
      try await pause()
    }
  }

  func removeUnshared(_ key: RecordKey) async throws {
    try await announceUnsharedWriter(key, makingGroup: false)
    while true {
      let stored = try? await base(of: key).document()
      if try await sendIfUnchanged({ try await delete(key, during: $0) }, key, nil),
        try await !isSuccessor(settled(key), of: stored)
      {
        return
      }
      try await pause()
    }
  }

  private func writeIfUnchanged(_ document: CacheDocument, _ key: RecordKey, _ base: Base) async throws
    -> Bool
  {
    try await sendIfUnchanged(
      { optimisticWrite in
        var creation: FileLock.Hold?
        try await write(
          document, key, over: base.item, at: base.claims, readIn: base.validity, releasing: &creation,
          during: optimisticWrite)
      }, key, base)
  }

  /// Writes if the stored record is still the one that the change was computed from.
  ///
  /// Apps that do share a lock with this one write one after the other. Many concurrent writers would make the time
  /// between comparing and sending too long for each other.
  ///
  /// - Parameter base: The record that the change was computed from; `nil` for a write that does not depend on it.
  /// - Returns: Whether it was written.
  private func sendIfUnchanged(
    _ write: (OptimisticWrite) async throws -> Void, _ key: RecordKey, _ base: Base?
  ) async throws -> Bool {
    try Task.checkCancellation()
    // Nothing is written that can't be verified before the deadline.
    guard Deadline.remaining > OptimisticWrite.settling * 3 else { throw OptimisticWrite.contended }
    return try await FileLock.optimisticWrites(of: group).run {
      let optimisticWrite = OptimisticWrite()
      if let base, try await !base.isSame(as: self.base(of: key)) { return false }
      do {
        try await signalingChange(try VersionFile(of: key, in: group)) {
          try await reopening { try await write(optimisticWrite) }
        }
        return true
      } catch is WriteConflict {
        return false
      }
    }
  }

  private func base(of key: RecordKey) async throws -> Base {
    let validity = try await client.connection().validity
    let (item, claims) = try await reopening { try await current(key) }
    return Base(validity: validity, item: item, claims: claims)
  }

  /// Returns whether the stored document contains a write, after all writes on their way have arrived.
  private func containsWrite(_ name: String, _ key: RecordKey) async throws -> Bool {
    try await settled(key)?.record.document().writes.contains(name) == true
  }

  /// Deletes this app's copy of a record that two apps created at the same time.
  ///
  /// Providers that don't replace items store both copies.
  private func deleteSecond(_ name: String, _ key: RecordKey) async throws {
    let copies = try await client.search(ItemAttributes.identifying(key, in: group)).unlocked
    guard copies.count > 1 else { return }
    let secrets = try await client.secrets(of: copies)
    for copy in copies where secrets[copy]?.document?.writes == [name] {
      try await recycled.delete(copy)
    }
  }

  /// Reads the record after all writes on their way have arrived.
  ///
  /// It searches, because another app may have moved the record or created a second one. It also runs when the task is
  /// cancelled, because the write has already been sent.
  private func settled(_ key: RecordKey) async throws -> StoredItem? {
    try await Task { [self] in
      try await OptimisticWrite.settle()
      known.withLock { $0.forget(key) }
      return try await base(of: key).item
    }.value
  }

  /// Returns whether the record stored after a removal is a copy of the removed one, or was derived from it.
  ///
  /// A record that was created again starts at revision one.
  private func isSuccessor(_ item: StoredItem?, of removed: CacheDocument?) -> Bool {
    guard let item, let removed else { return false }
    guard let document = try? item.record.document() else { return true }
    return document == removed || document.metadata.revision > removed.metadata.revision
      || !Set(document.writes).isDisjoint(with: removed.writes)
  }

  /// Waits for a random time, so that other writers go first.
  ///
  /// The range does not grow with the number of attempts: that would favor new writers.
  private func pause() async throws {
    let pause = Duration.milliseconds(Int.random(in: 1...50))
    guard Deadline.remaining > pause else { throw OptimisticWrite.contended }
    try await Task.sleep(for: pause)
  }
}
