// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import TokenCacheModel

extension TokenCacheContract {
  static let recordCases: [ContractCase] = [
    ContractCase("a group that was never written has no records and no record", .absence) { environment in
      try expect(
        try await environment.backend.records(matching: .all(.credentials)).count, is: 0, "records")
      try expect(try await environment.backend.record(for: Samples.key) == nil, is: true, "absence")
    },
    ContractCase("while the store fails, a record is neither absent nor changed", .failedReads) {
      environment in
      guard let failReads = environment.failReads else { return }
      let document = try Samples.document("kept")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await failReads(true)
      for backend in [environment.backend, environment.other] {
        try await neverAbsent("a read") { try await backend.record(for: Samples.key).map { [$0] } ?? [] }
        try await neverAbsent("a list") { try await backend.records(matching: .all(.credentials)) }
        try await neverAbsent("a list of several queries") {
          try await backend.records(matchingAny: [.all(.credentials), .all(.family)])
        }
        try? await backend.update(Samples.key) { $0 = $0 ?? CacheDocument() }
      }
      try await failReads(false)
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.note, is: "kept", "the content")
    },
    ContractCase("what was written is read by the writer and by another instance, whole", .sharing) {
      environment in
      let document = try Samples.document("one")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.settle()
      for backend in [environment.backend, environment.other] {
        let read = try await backend.record(for: Samples.key)?.document()
        try expect(read?.note, is: "one", "the content")
        try expect(read?.metadata.revision, is: 1, "the revision")
      }
    },
    ContractCase("text in braces, quotes and any script comes back as it was written", .verbatim) {
      environment in
      let document = try Samples.document(
        "{TITLE} {USERNAME} {S:key} {REF:P@T:x} {T-CONV:/a/upper/} {{}} \\\"{TITLE}\\\" Ωmega 鍵 🔑 \\u0000\\n")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.settle()
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.note, is: document.note, "the content")
      try expect(read?.note?.isEmpty, is: false, "whether the content is empty")
    },
    ContractCase("a document of almost the largest size comes back as it was written", .verbatim) {
      environment in
      let document = try Samples.document(String(repeating: "x", count: CacheDocument.maximumBytes - 4096))
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.settle()
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.note?.utf8.count, is: document.note?.utf8.count, "the size of the content")
    },
    ContractCase("a change is seen by another instance's very next read, again and again", .freshness) {
      environment in
      for round in 1...5 {
        let document = try Samples.document("round \(round)")
        try await environment.backend.update(Samples.key) { $0 = document }
        let read = try await environment.other.record(for: Samples.key)?.document()
        try expect(read?.note, is: "round \(round)", "the content")
      }
    },
    ContractCase("a change that leaves the document as it was writes nothing", .unchanged) { environment in
      let document = try Samples.document("same")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.backend.update(Samples.key) { _ in }
      try await environment.settle()
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.metadata.revision, is: 1, "the revision")
    },
    ContractCase("a change that throws leaves the record as it was and passes its error on", .failedChange) {
      environment in
      let document = try Samples.document("kept")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await expect(.accountMismatch, "the change's own error") {
        try await environment.backend.update(Samples.key) { stored in
          stored = nil
          throw SecretStoreError(.accountMismatch, "no")
        }
      }
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.note, is: "kept", "the content")
    },
    ContractCase("a document that is too large is refused and leaves the record as it was", .sizeLimit) {
      environment in
      let document = try Samples.document("kept")
      let large = try Samples.document(String(repeating: "x", count: CacheDocument.maximumBytes))
      try await environment.backend.update(Samples.key) { $0 = document }
      try await expect(.invalidArgument, "the error of a document that is too large") {
        try await environment.backend.update(Samples.key) { $0 = large }
      }
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.note, is: "kept", "the content")
    },
    ContractCase("a change to nothing removes the record, and removing nothing is no error", .removal) {
      environment in
      let document = try Samples.document("gone")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.backend.update(Samples.key) { $0 = nil }
      try await environment.backend.remove(Samples.key)
      try await environment.settle()
      try expect(try await environment.other.record(for: Samples.key) == nil, is: true, "absence")
    },
    ContractCase("removing a record leaves all other records", .removal) { environment in
      let others: Set<RecordKey> = [
        .credentials(
          homeAccountID: Samples.homeAccountID, environment: "login.windows.net", clientID: "other"),
        .family(homeAccountID: Samples.homeAccountID, environment: "login.windows.net", familyID: "1"),
        .groupData("note"),
      ]
      let document = try Samples.document("other")
      for key in others.union([Samples.key]) {
        try await environment.backend.update(key) { $0 = document }
      }
      try await environment.backend.remove(Samples.key)
      try await environment.settle()
      var remaining: Set<RecordKey> = []
      for kind in [RecordKind.credentials, .family, .groupData] {
        remaining.formUnion(try await environment.other.records(matching: .all(kind)).map(\.key))
      }
      try expect(remaining, is: others, "the records that are left")
    },
    ContractCase(
      "a record that was removed and written again is read anew by an instance that knew it", .freshness
    ) {
      environment in
      let first = try Samples.document("first")
      let second = try Samples.document("second")
      try await environment.backend.update(Samples.key) { $0 = first }
      _ = try await environment.other.record(for: Samples.key)
      try await environment.backend.remove(Samples.key)
      try expect(try await environment.other.record(for: Samples.key) == nil, is: true, "absence")
      try await environment.backend.update(Samples.key) { $0 = second }
      try expect(
        try await environment.other.record(for: Samples.key)?.document().note, is: "second", "content")
    },
    ContractCase("a record kept in memory is as new as what another instance has acknowledged", .freshness) {
      environment in
      for round in 1...3 {
        let document = try Samples.document("round \(round)")
        try await environment.other.update(Samples.key) { $0 = document }
        for _ in 1...2 {
          if let kept = environment.backend.cachedRecord(for: Samples.key) {
            try expect(try kept.document().note, is: "round \(round)", "the content in memory")
          }
          let read = try await environment.backend.record(for: Samples.key)?.document()
          try expect(read?.note, is: "round \(round)", "the content")
        }
      }
      try await environment.other.remove(Samples.key)
      try expect(environment.backend.cachedRecord(for: Samples.key) == nil, is: true, "absence in memory")
    },
  ]

  /// Throws when a read succeeds and finds nothing; an error, or a record that is kept in memory, is right.
  private static func neverAbsent(
    _ what: String, file: String = #fileID, line: Int = #line, _ read: () async throws -> [Record]
  ) async throws {
    do {
      let notes = try await read().map { try $0.document().note }
      try expect(notes, is: ["kept"], what, file: file, line: line)
    } catch is SecretStoreError {}
  }
}

extension CacheDocument {
  /// The text of the sample's unknown section.
  var note: String? {
    (try? JSONValue(parsing: serialized()))?.objectValue?["Note"]?.objectValue?["text"]?.stringValue
  }
}
