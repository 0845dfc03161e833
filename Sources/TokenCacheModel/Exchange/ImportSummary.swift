// SPDX-License-Identifier: MIT

/// What an import did, or would do: numbers only.
public struct ImportSummary: Sendable, Hashable {
  /// Records that were not there before.
  public internal(set) var added = 0
  /// Records that were changed.
  public internal(set) var updated = 0
  /// Records that already held as much, or newer.
  public internal(set) var unchanged = 0
  /// Records of accounts that are signed out here, and stay so.
  public internal(set) var signedOut = 0
  /// Records that the file lacks and that were emptied (only with `replaces`).
  public internal(set) var removed = 0
  /// Entries that could not be read.
  public internal(set) var unreadable = 0
}
