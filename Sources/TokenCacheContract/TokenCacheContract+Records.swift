// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension TokenCacheContract {
  static let recordCases: [ContractCase] = [
    ContractCase("a group that was never written has no records and no record") { environment in
      try expect(
        try await environment.backend.records(matching: .all(.credentials)).count, is: 0, "records")
      try expect(try await environment.backend.record(for: Samples.key) == nil, is: true, "absence")
    },
    ContractCase("no queries are no records") { environment in
      let document = try Samples.document("one")
      try await environment.backend.update(Samples.key) { $0 = document }
      try expect(try await environment.backend.records(matchingAny: []).count, is: 0, "records")
    },
    ContractCase("what was written is read by the writer and by another instance, whole") { environment in
      let document = try Samples.document("one")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.settle()
      for backend in [environment.backend, environment.other] {
        let read = try await backend.record(for: Samples.key)?.document()
        try expect(read?.note, is: "one", "the content")
        try expect(read?.sharing.revision, is: 1, "the revision")
      }
    },
    ContractCase("text in braces, quotes and any script comes back as it was written") { environment in
      let document = try Samples.document(
        "{TITLE} {USERNAME} {S:key} {REF:P@T:x} {T-CONV:/a/upper/} {{}} \\\"{TITLE}\\\" Ωmega 鍵 🔑 \\u0000\\n")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.settle()
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.note, is: document.note, "the content")
      try expect(read?.note?.isEmpty, is: false, "whether the content is empty")
    },
    ContractCase("a change is seen by another instance's very next read, again and again") { environment in
      for round in 1...5 {
        let document = try Samples.document("round \(round)")
        try await environment.backend.update(Samples.key) { $0 = document }
        let read = try await environment.other.record(for: Samples.key)?.document()
        try expect(read?.note, is: "round \(round)", "the content")
      }
    },
    ContractCase("a change that leaves the document as it was writes nothing") { environment in
      let document = try Samples.document("same")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.backend.update(Samples.key) { _ in }
      try await environment.settle()
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.sharing.revision, is: 1, "the revision")
    },
    ContractCase("a change that throws leaves the record as it was and passes its error on") { environment in
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
    ContractCase("a change to nothing removes the record, and removing nothing is no error") { environment in
      let document = try Samples.document("gone")
      try await environment.backend.update(Samples.key) { $0 = document }
      try await environment.backend.update(Samples.key) { $0 = nil }
      try await environment.backend.remove(Samples.key)
      try await environment.settle()
      try expect(try await environment.other.record(for: Samples.key) == nil, is: true, "absence")
    },
    ContractCase("removing a record leaves its neighbours") { environment in
      let neighbours: Set<RecordKey> = [
        .credentials(
          homeAccountID: Samples.homeAccountID, environment: "login.windows.net", clientID: "other"),
        .family(homeAccountID: Samples.homeAccountID, environment: "login.windows.net", familyID: "1"),
        .groupData("note"),
      ]
      let document = try Samples.document("neighbour")
      for key in neighbours.union([Samples.key]) {
        try await environment.backend.update(key) { $0 = document }
      }
      try await environment.backend.remove(Samples.key)
      try await environment.settle()
      var left: Set<RecordKey> = []
      for kind in [RecordKind.credentials, .family, .groupData] {
        left.formUnion(try await environment.other.records(matching: .all(kind)).map(\.key))
      }
      try expect(left, is: neighbours, "the records that are left")
    },
    ContractCase("a record that was removed and written again is read anew by an instance that knew it") {
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
    ContractCase("a query finds the records of its kind, account and client, and no others") { environment in
      let keys = [
        Samples.key,
        .credentials(
          homeAccountID: Samples.homeAccountID, environment: "login.windows.net", clientID: "other"),
        .credentials(homeAccountID: "ada@contoso.com", environment: "id.contoso.com", clientID: "suite"),
        .family(homeAccountID: Samples.homeAccountID, environment: "login.windows.net", familyID: "1"),
        .groupData("note"),
      ]
      for key in keys {
        let document = try Samples.document(key.clientID)
        try await environment.backend.update(key) { $0 = document }
      }
      try await environment.settle()
      func found(_ query: RecordQuery) async throws -> Set<RecordKey> {
        Set(try await environment.other.records(matching: query).map(\.key))
      }
      try expect(try await found(.all(.credentials)), is: Set(keys[0...2]), "all credentials")
      try expect(
        try await found(.all(.credentials, homeAccountID: Samples.homeAccountID)), is: Set(keys[0...1]),
        "an account's credentials")
      try expect(
        try await found(
          .all(
            .credentials, homeAccountID: "ada@contoso.com", environment: "id.contoso.com", clientID: "suite")),
        is: [keys[2]], "one client's credentials")
      try expect(try await found(.all(.family)), is: [keys[3]], "families")
      try expect(try await found(.all(.groupData)), is: [keys[4]], "the group's data")
    },
    ContractCase("hosts of one cloud are one environment") { environment in
      let document = try Samples.document("alias")
      let alias = RecordKey.credentials(
        homeAccountID: Samples.homeAccountID.uppercased(), environment: "Login.MicrosoftOnline.com",
        clientID: "suite")
      try await environment.backend.update(alias) { $0 = document }
      try expect(
        try await environment.other.record(for: Samples.key)?.document().note, is: "alias", "content")
    },
  ]
}

extension CacheDocument {
  /// The text of the sample's unknown section.
  var note: String? {
    (try? JSONValue(parsing: serialized()))?.objectValue?["Note"]?.objectValue?["text"]?.stringValue
  }
}
