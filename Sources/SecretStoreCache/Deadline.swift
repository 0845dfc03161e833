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
    let instant = ContinuousClock.now + limit
    let earlier = current.map { min($0, instant) } ?? instant
    return try await $current.withValue(earlier) { try await body() }
  }

  /// What is left; never less than nothing.
  static var remaining: Duration {
    guard let current else { return .seconds(10) }
    return max(.zero, current - ContinuousClock.now)
  }

  /// Whether there is time left.
  static var hasPassed: Bool { remaining == .zero }
}
