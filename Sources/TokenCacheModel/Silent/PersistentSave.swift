// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The save of what a refresh token brought that may be spent by now.
package enum PersistentSave {
  private static let attempts = 10
  /// The time after which a failed attempt is the last one.
  private static let limit = Duration.seconds(10)

  /// Saves, and again after an error that may have passed: ten attempts at most, within ten seconds.
  ///
  /// - Parameter delay: The time between two attempts.
  package static func run<Outcome>(
    retryingAfter delay: Duration, _ save: () async throws -> Outcome
  ) async throws -> Outcome {
    let start = ContinuousClock.now
    for _ in 1..<attempts {
      do {
        return try await save()
      } catch let error as SecretStoreError
        where error.mayHavePassed && start.duration(to: .now) < limit
      {
        CallLog.debug("tries again to save what the refresh brought", CallLog.facts(of: error))
        // The save goes on although the task is cancelled.
        try? await Task.sleep(for: delay)
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
