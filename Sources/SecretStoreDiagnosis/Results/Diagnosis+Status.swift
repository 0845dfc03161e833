// SPDX-License-Identifier: MIT

extension Diagnosis {
  /// The severity of a check's result.
  public enum Status: String, Sendable, Hashable, Comparable, CaseIterable {
    /// No problem was found.
    case ok
    /// Apps work, but something is wrong or was not checked.
    case warning
    /// Silent calls fail, or will fail after the next login.
    case error

    /// Returns whether the first status is less severe than the second: `ok`, then `warning`, then `error`.
    public static func < (left: Status, right: Status) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }
}
