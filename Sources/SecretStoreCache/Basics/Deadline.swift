// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The deadline of the current public call.
///
/// It is set once, where a call enters the library. Every wait inside the call is limited to the remaining time.
package enum Deadline {
  /// A time limit, and the limits of the calls outside of it.
  private final class Limit: Sendable {
    private let length: Duration
    /// How long a reply is waited for at most; `nil` for no limit of its own.
    private let reply: Duration?
    private let outer: Limit?
    private let end: Locked<ContinuousClock.Instant>

    init(_ length: Duration, reply: Duration?, within outer: Limit?) {
      self.length = length
      self.reply = reply
      self.outer = outer
      end = Locked(ContinuousClock.now + length)
    }

    /// The end of the earliest limit.
    var instant: ContinuousClock.Instant {
      let own = end.withLock(\.self)
      return outer.map { min($0.instant, own) } ?? own
    }

    /// How long a reply is waited for at most.
    var longestReply: Duration {
      [reply, outer?.longestReply].compactMap(\.self).min() ?? Deadline.longest
    }

    func restart() { end.withLock { $0 = ContinuousClock.now + length } }
  }

  @TaskLocal private static var current: Limit?

  /// Runs `body` with a deadline, unless an outer call has set an earlier one.
  ///
  /// - Parameters:
  ///   - limit: The time limit.
  ///   - reply: The time limit of each reply, for work of many steps: a service that hangs is not waited for as long.
  ///   - body: The work.
  package static func run<Result>(
    within limit: Duration, reply: Duration? = nil, _ body: () async throws -> Result
  ) async throws -> Result {
    let limit = Limit(min(limit, longest), reply: reply, within: current)
    return try await $current.withValue(limit) { try await body() }
  }

  /// Starts the limit of the current call anew, after an item of long work.
  ///
  /// The limits of outer calls stay.
  package static func restart() { current?.restart() }

  /// The remaining time, never negative; ten seconds where no call has set a deadline.
  static var remaining: Duration {
    guard let current else { return standard }
    return max(.zero, current.instant - ContinuousClock.now)
  }

  /// The time for which a reply is waited for.
  static var untilReply: Duration {
    [remaining, current?.longestReply, FurtherWaits.reply].compactMap(\.self).min() ?? .zero
  }

  /// Returns the deadline for a D-Bus call that is about to be made.
  ///
  /// - Throws: `timedOut` when the deadline has passed.
  static func ahead() throws(SecretStoreError) -> ContinuousClock.Instant {
    let rest = untilReply
    guard rest > .zero else {
      throw SecretStoreError(.timedOut, "The deadline passed before the call was made.")
    }
    return ContinuousClock.now + rest
  }

  /// The longest limit, 31 years: it stands for "no limit" and keeps sums from overflowing.
  private static let longest = Duration.seconds(1_000_000_000)

  /// The limit where no call has set a deadline.
  private static let standard = Duration.seconds(10)

  /// Whether the deadline has passed.
  static var hasPassed: Bool { remaining == .zero }
}

extension SecretStoreError {
  static let replyTimedOut = SecretStoreError(.timedOut, "The Secret Service did not reply in time.")
}
