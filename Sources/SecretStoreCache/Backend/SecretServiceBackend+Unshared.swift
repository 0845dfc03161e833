// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Writing where no lock is shared with other apps.
///
/// A write leaves its name in the document. What is stored is compared with what the change was made from right before
/// it is written, and read again when all writes have arrived that were on their way then; one that lacks the name was
/// made without having seen this one, which is then made again on top of it.
extension SecretServiceBackend {
  /// What a change is made from.
  private struct Base {
    let era: PathEra
    let item: StoredItem?
    let place: GroupLocation?

    func document() throws(SecretStoreError) -> CacheDocument? { try item?.record.document() }

    func isSame(as other: Base) -> Bool {
      item?.path == other.item?.path && (try? item?.record.document()) == (try? other.item?.record.document())
    }
  }

  func updateUnshared<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    var made: [String: Outcome] = [:]
    while true {
      let base = try await base(of: key)
      let stored = try base.document()
      // Somebody may have gone on from a write that seemed to be replaced.
      if let name = stored?.writes.last(where: { made[$0] != nil }), let outcome = made[name] {
        if try await isThere(name, key) { return outcome }
      } else {
        let (outcome, action) = try RecordChange.apply(change, to: stored, key: key)
        switch action {
        case .nothing: return outcome
        case .write(let document):
          let name = Self.newName()
          made[name] = outcome
          if try await isWritten(document.written(by: name), key, base) {
            if try await isThere(name, key) {
              let label = document.secretLabel
              if let stored, label != stored.secretLabel { try await setLabel(label, key) }
              return outcome
            }
            if stored == nil { try await deleteSecond(name, key) }
          }
        case .remove:
          if try await isSent({ try await delete(key) }, key, base),
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
    while true {
      let stored = try? await base(of: key).document()
      if try await isSent({ try await delete(key) }, key, nil),
        try await !isSuccessor(settled(key), of: stored)
      {
        return
      }
      try await pause()
    }
  }

  private func isWritten(_ document: CacheDocument, _ key: RecordKey, _ base: Base) async throws -> Bool {
    try await isSent(
      { try await write(document, key, over: base.item, at: base.place, readIn: base.era) }, key, base)
  }

  /// Writes, if what is stored is still what the change was made from.
  ///
  /// Those whom a lock does reach take turns: many at once would make each other's time between comparing and sending
  /// too long.
  ///
  /// - Parameter base: That; `nil` for a write that does not depend on it.
  /// - Returns: Whether it was written.
  private func isSent(
    _ write: () async throws -> Void, _ key: RecordKey, _ base: Base?
  ) async throws -> Bool {
    try Task.checkCancellation()
    // What can't be verified in time is not written.
    guard Deadline.remaining > WriteWindow.settling * 3 else { throw WriteWindow.contended }
    return try await FileLock(name: "window-\(Digest.hex(group.description))").run {
      try await WriteWindow.$current.withValue(WriteWindow()) {
        if let base, try await !base.isSame(as: self.base(of: key)) { return false }
        do {
          try await telling(try VersionFile(of: key, in: group)) { try await reopening(write) }
          return true
        } catch is StaleChange {
          return false
        }
      }
    }
  }

  private func base(of key: RecordKey) async throws -> Base {
    let era = try await client.connection().era
    let (item, place) = try await reopening { try await current(key) }
    return Base(era: era, item: item, place: place)
  }

  /// Whether a write is in what is stored when all has arrived that was on its way.
  private func isThere(_ name: String, _ key: RecordKey) async throws -> Bool {
    try await settled(key)?.record.document().writes.contains(name) == true
  }

  /// Where items are not replaced, two apps that make a record at once make two of it: deletes the one that does not count.
  private func deleteSecond(_ name: String, _ key: RecordKey) async throws {
    let copies = try await client.search(ItemAttributes.all(key, in: group)).unlocked
    guard copies.count > 1 else { return }
    let secrets = try await client.secrets(of: copies)
    for copy in copies where secrets[copy]?.document?.writes == [name] {
      try await delete(copy)
    }
  }

  /// What is stored when all has arrived that was on its way; found by a search, since another app may have moved the
  /// record, or made a second one.
  ///
  /// What was sent is looked for, also when the task is cancelled.
  private func settled(_ key: RecordKey) async throws -> StoredItem? {
    try await Task { [self] in
      try await WriteWindow.settle()
      known.withLock { $0.forget(key) }
      return try await base(of: key).item
    }.value
  }

  /// Whether what is stored after a removal is a copy of what was removed, or was made from it: one that was made anew has begun to count
  /// from one again.
  private func isSuccessor(_ item: StoredItem?, of removed: CacheDocument?) -> Bool {
    guard let item, let removed else { return false }
    guard let document = try? item.record.document() else { return true }
    return document == removed || document.sharing.revision > removed.sharing.revision
      || !Set(document.writes).isDisjoint(with: removed.writes)
  }

  /// Lets others go first; each for another while, and not longer after more attempts, which would let newcomers win.
  private func pause() async throws {
    let pause = Duration.milliseconds(Int.random(in: 1...50))
    guard Deadline.remaining > pause else { throw WriteWindow.contended }
    try await Task.sleep(for: pause)
  }

  private static func newName() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }
}
