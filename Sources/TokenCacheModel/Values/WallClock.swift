// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// Where the cache reads the time of day, so that tests can set it.
public protocol WallClock: Sendable {
  /// The time now.
  func now() -> Date
}

/// The system's time of day.
public struct SystemWallClock: WallClock {
  /// Makes the system's clock.
  public init() {}

  /// The time now.
  public func now() -> Date { Date() }
}
