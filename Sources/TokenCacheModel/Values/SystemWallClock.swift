// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// The system's time of day.
public struct SystemWallClock: WallClock {
  /// Makes the system's clock.
  public init() {}

  /// The time now.
  public func now() -> Date { Date() }
}
