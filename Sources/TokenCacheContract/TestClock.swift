// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import TokenCacheModel

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// clock.advance(by: 3600)  // now a token that lives for an hour has expired
/// ```
///
/// Set it as the `clock` of `TokenCacheOptions`.
public final class TestClock: WallClock {
  /// The time of a new clock: the 14th of November 2023.
  public static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private let time: Locked<Date>

  /// Creates a clock.
  public init(_ start: Date = TestClock.start) { time = Locked(start) }

  /// Returns the clock's time.
  public func now() -> Date { time.withLock { $0 } }

  /// Advances the clock by a number of seconds.
  public func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
