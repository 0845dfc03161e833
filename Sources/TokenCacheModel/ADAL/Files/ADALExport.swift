// SPDX-License-Identifier: MIT

/// Items of ADAL's, given out as a file.
///
/// Its description shows none of it.
public struct ADALExport: Sendable {
  /// The file.
  ///
  /// It holds tokens in clear.
  public let bytes: [UInt8]

  /// How many items the form has no place for.
  public let leftOut: Int
}

extension ADALExport: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "ADALExport(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
