// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// By when the public call that is under way must have ended.
///
/// It is set once, where a call enters the library, and every wait beneath keeps to what is left of it.
enum Deadline {
  @TaskLocal private static var current: ContinuousClock.Instant?

  /// Runs `body` with a deadline, unless an outer call has set an earlier one.
  static func run<Result>(
    within limit: Duration, _ body: () async throws -> Result
  ) async throws -> Result {
    let instant = ContinuousClock.now + min(limit, longest)
    let earlier = current.map { min($0, instant) } ?? instant
    return try await $current.withValue(earlier) { try await body() }
  }

  /// What is left; never less than nothing.
  static var remaining: Duration {
    guard let current else { return standard }
    return max(.zero, current - ContinuousClock.now)
  }

  /// When that is, for a call that is about to be made.
  ///
  /// - Throws: `timedOut` when it has passed.
  static func ahead() throws(SecretStoreError) -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    let deadline = current ?? now + standard
    guard deadline > now else {
      throw SecretStoreError(.timedOut, "The deadline passed before the call was made.")
    }
    return deadline
  }

  /// What stands for "no limit", 31 years, so that no sum of it overflows.
  private static let longest = Duration.seconds(1_000_000_000)

  /// Where no call has set one.
  private static let standard = Duration.seconds(10)

  /// Whether there is time left.
  static var hasPassed: Bool { remaining == .zero }
}

extension SecretStoreError {
  static let noAnswerInTime = SecretStoreError(.timedOut, "The Secret Service did not answer in time.")
}
