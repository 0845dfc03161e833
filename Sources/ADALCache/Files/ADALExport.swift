// SPDX-License-Identifier: MIT

/// ADAL items serialized as a file.
///
/// The description is redacted.
package struct ADALExport: Sendable {
  /// The file's bytes, with tokens in clear text.
  package let bytes: [UInt8]

  /// The number of items that the format can't represent.
  package let leftOut: Int
}

extension ADALExport: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  package var description: String { "ADALExport(redacted)" }

  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
