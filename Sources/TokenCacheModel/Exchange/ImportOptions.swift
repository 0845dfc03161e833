// SPDX-License-Identifier: MIT

/// How a cache is imported.
public struct ImportOptions: Sendable {
  /// Whether to say what would be done, and do none of it.
  public var isDryRun = false

  /// Whether to leave out entries that can't be read, which are kept as they are otherwise.
  public var skipsUnreadable = false

  /// Whether the group is to hold what the file holds, and nothing else.
  ///
  /// Older tokens then replace newer ones, signed-out accounts come back, and accounts that the file lacks go.
  public var replaces = false

  /// The defaults: nothing newer is replaced, nothing signed out comes back, nothing is removed.
  public init() {}
}
