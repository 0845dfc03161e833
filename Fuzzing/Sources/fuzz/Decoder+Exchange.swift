// SPDX-License-Identifier: MIT

import TokenCacheModel

extension Decoder {
  /// A whole cache: nothing gets lost in an export, and importing it again, or what was exported of it, changes
  /// nothing.
  func checkExchange(_ bytes: [UInt8]) {
    guard (try? CacheDocument(parsing: bytes)) != nil else { return }
    InlineExecutor.run {
      let backend = InMemoryBackend()
      let exchange = CacheExchange(backend: backend)
      let first = try await exchange.importUnified(bytes)
      let exported = try await exchange.exportUnified().json
      expect(first.updated + first.unchanged + first.removed == 0, "every record of an empty group is new")
      let tokens = try CacheDocument(parsing: exported).credentials.map(\.secret).sorted()
      expect(try await Self.tokens(in: backend) == tokens, "an export holds every token of the group")

      let second = try await exchange.importUnified(bytes)
      expect(second.added + second.updated + second.removed == 0, "importing again changes nothing")
      expect(second.unreadable == first.unreadable, "the same entries are unreadable")

      let third = try await exchange.importUnified(exported)
      expect(third.added + third.updated + third.removed == 0, "importing the export changes nothing")

      let content = try Self.content(of: exported)
      let again = try await Self.content(of: exchange.exportUnified().json)
      expect(again == content, "importing the export leaves the next one as it was")

      let fresh = CacheExchange(backend: InMemoryBackend())
      _ = try await fresh.importUnified(exported)
      let copy = try await Self.content(of: fresh.exportUnified().json)
      expect(copy == content, "a group that is filled from an export gives the same export")
    }
  }

  /// The tokens of all records.
  private static func tokens(in backend: InMemoryBackend) async throws -> [String] {
    var tokens: [String] = []
    for kind in [RecordKind.credentials, .family] {
      for record in try await backend.records(matching: .all(kind)) {
        tokens += try record.document().credentials.map(\.secret)
      }
    }
    return tokens.sorted()
  }

  /// The sections of an export by the entries that they hold: an entry whose key is taken gets another one, and
  /// which one it is depends on the order of the records.
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
