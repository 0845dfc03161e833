// SPDX-License-Identifier: MIT

import StrictJSON

/// The list of recent writes in a document, for optimistic writes.
///
/// Apps that share no lock detect by it whether the writers after them had read their write.
extension CacheDocument {
  /// The maximum number of writes that are listed.
  ///
  /// It is larger than the number of writes that can follow one write before its writer checks for it.
  private static let rememberedWrites = 32

  /// The identifiers of the newest optimistic writes, the latest last.
  package var writes: [String] {
    get { (metadata.fields["writes"]?.arrayValue ?? []).compactMap(\.stringValue) }
    set { metadata.fields["writes"] = newValue.isEmpty ? nil : .array(newValue.map(JSONValue.string)) }
  }

  /// Returns the document with a write added to its list.
  ///
  /// - Parameter write: A unique identifier of the write.
  package func written(by write: String) -> CacheDocument {
    var document = self
    document.writes = (writes + [write]).suffix(Self.rememberedWrites)
    return document
  }
}
