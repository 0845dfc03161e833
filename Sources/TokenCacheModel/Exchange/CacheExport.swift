// SPDX-License-Identifier: MIT

/// A whole cache, given out.
///
/// Its description shows none of it.
public struct CacheExport: Sendable {
  /// JSON in UTF-8, indented, with all of the five sections.
  ///
  /// It holds tokens in clear.
  public let json: [UInt8]

  /// How many access tokens are marked so that a peer, which could not tell them apart, skips them.
  public let skippedByPeers: Int
}

extension CacheExport: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "CacheExport(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
