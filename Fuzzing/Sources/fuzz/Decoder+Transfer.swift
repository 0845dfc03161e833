// SPDX-License-Identifier: MIT

import TokenCacheModel

@testable import UnifiedCache

extension Decoder {
  /// Checks a whole cache.
  ///
  /// An export must lose nothing. Importing the cache or its export again must change nothing.
  func checkTransfer(_ bytes: [UInt8]) {
    guard let document = try? CacheDocument(parsing: bytes) else { return }
    InlineExecutor.run {
      let backend = InMemoryBackend()
      let transfer = CacheTransfer(backend: backend)
      guard document.invalidEntries.isEmpty else {
        let summary = try? await transfer.importUnified(bytes)
        return expect(summary == nil, "entries that nobody may use are refused")
      }
      let first = try await transfer.importUnified(bytes)
      let exported = try await transfer.exportUnified().json
      expect(first.updated + first.unchanged + first.removed == 0, "every record of an empty group is new")
      let tokens = try CacheDocument(parsing: exported).credentials.map(\.secret).sorted()
      expect(try await Self.tokens(in: backend) == tokens, "an export holds every token of the group")

      let second = try await transfer.importUnified(bytes)
      expect(second.added + second.updated + second.removed == 0, "importing again changes nothing")
      expect(second.unreadable == first.unreadable, "the same entries are unreadable")

      let third = try await transfer.importUnified(exported)
      expect(third.added + third.updated + third.removed == 0, "importing the export changes nothing")

      let content = try Self.content(of: exported)
      let again = try await Self.content(of: transfer.exportUnified().json)
      expect(again == content, "importing the export leaves the next one as it was")

      let fresh = CacheTransfer(backend: InMemoryBackend())
      _ = try await fresh.importUnified(exported)
      let copy = try await Self.content(of: fresh.exportUnified().json)
      expect(copy == content, "a group that is filled from an export gives the same export")
    }
  }

  /// Returns the tokens of all records.
  private static func tokens(in backend: InMemoryBackend) async throws -> [String] {
    var tokens: [String] = []
    for kind in [RecordKind.credentials, .family, .client] {
      for record in try await backend.records(matching: .all(kind)) {
        tokens += try record.document().credentials.map(\.secret)
      }
    }
    return tokens.sorted()
  }

  /// Returns the sections of an export with their entries but without keys.
  ///
  /// An entry whose key is taken gets another key, which depends on the order of the records.
  private static func content(of export: [UInt8]) throws -> [String: [JSONValue: Int]] {
    guard let sections = try JSONValue(parsing: export).objectValue else { return [:] }
    var content: [String: [JSONValue: Int]] = [:]
    for (name, section) in sections {
      let entries = section.objectValue?.map(\.value) ?? section.arrayValue ?? [section]
      content[name] = Dictionary(entries.map { ($0, 1) }, uniquingKeysWith: +)
    }
    return content
  }
}
