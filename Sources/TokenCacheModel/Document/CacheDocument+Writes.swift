// SPDX-License-Identifier: MIT

/// By which writes a document came about: where apps share no locks, whoever wrote one sees by it whether those who wrote
/// after had read it.
extension CacheDocument {
  /// How many writes are remembered: more than can come after one before it is looked for.
  private static let rememberedWrites = 32

  /// The newest writes of apps that share no locks, the latest one last.
  package internal(set) var writes: [String] {
    get { (sharing.fields["writes"]?.arrayValue ?? []).compactMap(\.stringValue) }
    set { sharing.fields["writes"] = newValue.isEmpty ? nil : .array(newValue.map(JSONValue.string)) }
  }

  /// The document as a write of its own.
  ///
  /// - Parameter write: What no other write is called.
  package func written(by write: String) -> CacheDocument {
    var document = self
    document.writes = (writes + [write]).suffix(Self.rememberedWrites)
    return document
  }
}
