// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// The save of what a refresh token brought that may be spent by now.
package enum PersistentSave {
  private static let attempts = 10
  /// The time after which no third attempt begins.
  ///
  /// It is longer than the time for which an attempt usually waits.
  package static let limit = Duration.seconds(20)

  /// Saves, and again after an error that may have passed: once more in any case, then until twenty seconds have
  /// passed, ten times at most.
  ///
  /// Another program may have changed the group's keyring during the request.
  ///
  /// - Parameters:
  ///   - backend: The back end that gets it.
  ///   - delay: The time between two attempts.
  ///   - limit: The time after which no third attempt begins.
  package static func run<Outcome>(
    in backend: any TokenCacheBackend, retryingAfter delay: Duration, until limit: Duration = limit,
    _ save: () async throws -> Outcome
  ) async throws -> Outcome {
    let start = ContinuousClock.now
    await (backend as? any DamagedRecords)?.forgetPlaces()
    for attempt in 1..<attempts {
      do {
        return try await save()
      } catch let error as SecretStoreError
        where error.mayHavePassed && (attempt == 1 || start.duration(to: .now) < limit)
      {
        CallLog.debug("tries again to save what the refresh brought", CallLog.facts(of: error))
        // A cancelled task's own sleep would return at once.
        await Task { try? await Task.sleep(for: delay) }.value
      }
    }
    return try await save()
  }
}

extension SecretStoreError {
  fileprivate var mayHavePassed: Bool {
    [.storageFailed, .serviceUnavailable, .timedOut, .lockTimedOut, .groupLocked].contains(code)
  }
}
