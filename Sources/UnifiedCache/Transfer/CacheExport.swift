// SPDX-License-Identifier: MIT

/// An exported cache.
///
/// Its description shows no content.
public struct CacheExport: Sendable {
  /// The cache as indented JSON in UTF-8, with all five sections.
  ///
  /// It holds the tokens in cleartext.
  public let json: [UInt8]

  /// The number of tokens that other MSALs skip, because they could not distinguish them from other tokens.
  public let skippedByPeers: Int

  /// The records that can't be read.
  ///
  /// The export lacks them.
  public let damaged: [DamagedRecord]
}

extension CacheExport: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without any content.
  public var description: String { "CacheExport(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
