// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// A source of the current time, which tests can replace.
public protocol WallClock: Sendable {
  /// Returns the current time.
  func now() -> Date
}

/// The system's wall clock.
public struct SystemWallClock: WallClock {
  /// Creates the system's wall clock.
  public init() {}

  /// Returns the current time.
  public func now() -> Date { Date() }
}
