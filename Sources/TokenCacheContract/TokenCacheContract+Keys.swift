// SPDX-License-Identifier: MIT

import TokenCacheModel

extension TokenCacheContract {
  static let keyCases: [ContractCase] = [
    ContractCase("no queries are no records", .queries) { environment in
      let document = try Samples.document("one")
      try await environment.backend.update(Samples.key) { $0 = document }
      try expect(try await environment.backend.records(matchingAny: []).count, is: 0, "records")
    },
    ContractCase("a record that several queries match is listed once", .queries) { environment in
      let document = try Samples.document("one")
      try await environment.backend.update(Samples.key) { $0 = document }
      let account = RecordQuery.all(.credentials, homeAccountID: Samples.homeAccountID)
      let listed = try await environment.other.records(
        matchingAny: [.all(.credentials), account, .all(.family)])
      try expect(listed.map(\.key), is: [Samples.key], "the listed keys")
    },
    ContractCase("keys that differ in one part have records of their own", .ownKeys) { environment in
      let (account, host) = (Samples.homeAccountID, "login.windows.net")
      let keys = [
        Samples.key, .credentials(homeAccountID: account, environment: host, clientID: "other"),
        .credentials(homeAccountID: account, environment: "id.contoso.com", clientID: "suite"),
        .credentials(homeAccountID: "ada@contoso.com", environment: host, clientID: "suite"),
        Samples.otherKey, .family(homeAccountID: account, environment: host, familyID: "2"),
        .client("suite", environment: host), .groupData("note"), .groupData("other"),
        .credentials(homeAccountID: account, environment: host, clientID: "Suite"),
        .credentials(homeAccountID: "a", environment: "https://id.contoso.com/a", clientID: "suite"),
        .credentials(homeAccountID: "a", environment: "https://id.contoso.com/A", clientID: "suite"),
        .credentials(homeAccountID: "A", environment: "https://id.contoso.com/a", clientID: "suite"),
      ]
      for (number, key) in keys.enumerated() {
        let document = try Samples.document("\(number)")
        try await environment.backend.update(key) { $0 = document }
      }
      try await environment.settle()
      for (number, key) in keys.enumerated() {
        let read = try await environment.other.record(for: key)?.document()
        try expect(read?.note, is: "\(number)", "the content of record \(number)")
      }
    },
    ContractCase("a query finds the records of its kind, account and client, and no others", .queries) {
      environment in
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
  ]
}
