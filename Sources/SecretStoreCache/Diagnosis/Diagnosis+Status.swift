// SPDX-License-Identifier: MIT

extension Diagnosis {
  /// How grave it is what a check has seen.
  public enum Status: String, Sendable, Hashable, Comparable, CaseIterable {
    /// It is as it should be.
    case ok
    /// Apps work, and something is amiss or was not looked at.
    case warning
    /// Silent calls fail, or will after the next login.
    case error

    /// An error is worse than a warning, and a warning than nothing.
    public static func < (left: Status, right: Status) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }
}
