// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Writing under a lock that every writer of this library keeps to.
extension SecretServiceBackend {
  /// How often a change is made again whose record went away with its group in between.
  private static let attempts = 5

  func updateShared<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    for _ in 1..<Self.attempts {
      do { return try await attempt(key, change) } catch is StaleChange {}
    }
    do {
      return try await attempt(key, change)
    } catch is StaleChange {
      throw SecretStoreError(.storageFailed, "The record was removed again and again while it was written.")
    }
  }

  private func attempt<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    let era = try await client.connection().era
    let (item, place) = try await reopening { try await current(key) }
    let (outcome, action) = try RecordChange.apply(change, to: try item?.record.document(), key: key)
    let version = try VersionFile(of: key, in: group)
    switch action {
    case .nothing:
      // What a writer left that died or was not answered has been read now.
      if version.read()?.isSettled == false { try version.settle() }
    case .write(let document):
      try await telling(version) {
        try await reopening { try await write(document, key, over: item, at: place, readIn: era) }
      }
      let label = document.secretLabel
      if item != nil, label != (try? item?.record.document().secretLabel) {
        try await setLabel(label, key)
      }
    case .remove:
      try await telling(version) { try await reopening { try await delete(key) } }
    }
    return outcome
  }

  func removeShared(_ key: RecordKey) async throws {
    try await telling(try VersionFile(of: key, in: group)) {
      try await reopening { try await delete(key) }
    }
  }
}
