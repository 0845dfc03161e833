// SPDX-License-Identifier: MIT

import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Entries of kinds that this version doesn't know belong to the account that they name.
@Suite("Entries of unknown kinds")
struct UnknownEntryTests {
  private let group = SharedGroup()

  private static func entry(_ user: TestUser, at host: String, _ name: String) -> JSONValue {
    [
      "home_account_id": .string(user.identifier), "environment": .string(host),
      "client_id": .string(SharedGroup.suite), "name": .string(name),
    ]
  }

  private static func file(_ entries: JSONObject) -> JSONObject { ["Device": .object(entries)] }

  private func names() async throws -> Set<String> {
    let export = try await CacheTransfer(backend: group.backend).exportUnified()
    let section = try CacheDocument(parsing: export.json)[member: "Device"]?.objectValue ?? [:]
    func names(_ value: JSONValue) -> [String] {
      guard let members = value.objectValue else { return [] }
      return [members["name"]?.stringValue].compactMap(\.self) + members.flatMap { names($0.value) }
    }
    return Set(section.flatMap { names($0.value) })
  }

  static let spellings = [
    "login.windows.net", "login.microsoftonline.com", "LOGIN.Microsoftonline.COM", "sts.windows.net.",
    "Login.Windows.Net.", "https://login.microsoftonline.com/", "login.microsoftonline.com:443",
  ]

  @Test("go with the account also where a whole section is one entry")
  func section() async throws {
    try await group.importing(cacheFile())
    let entries: JSONObject = [
      "Device": Self.entry(.anna, at: "login.windows.net", "anna's"),
      "Other": Self.entry(.boris, at: "login.windows.net", "boris's"),
    ]
    try await group.importing(entries)
    try await group.signOutEverywhere()
    let export = try await CacheTransfer(backend: group.backend).exportUnified()
    let document = try CacheDocument(parsing: export.json)
    #expect(document[member: "Device"] == nil && document[member: "Other"] != nil)
  }

  @Test("go with the account that they name, in whatever spelling of its host", arguments: spellings)
  func signOut(host: String) async throws {
    try await group.importing(cacheFile())
    try await group.importing(
      Self.file(["a": Self.entry(.anna, at: host, "anna's"), "b": Self.entry(.boris, at: host, "boris's")]))
    try await group.signOutEverywhere()
    #expect(try await names() == ["boris's"])
    // What is left out afterwards is counted.
    let summary = try await group.importing(
      Self.file(["a": Self.entry(.anna, at: host, "anna's"), "b": Self.entry(.boris, at: host, "boris's")]))
    #expect(try await names() == ["boris's"])
    #expect((summary.signedOut, summary.unchanged, summary.added, summary.updated) == (1, 1, 0, 0))
    let own = try await group.importing(Self.file(["a": Self.entry(.anna, at: host, "anna's")]))
    #expect((own.signedOut, own.unchanged, own.added, own.updated) == (1, 0, 0, 0))
  }

  @Test("are merged with those that are stored, whatever the keys")
  func merged() async throws {
    let host = "login.windows.net"
    let files = [
      Self.file(["a": Self.entry(.anna, at: host, "anna's")]),
      Self.file(["a": Self.entry(.boris, at: host, "boris's")]),
      Self.file(["b": Self.entry(.anna, at: host, "anna's second")]),
    ]
    for (number, file) in files.enumerated() {
      let summary = try await group.importing(file)
      #expect((summary.added, summary.updated) == (number == 0 ? (1, 0) : (0, 1)))
    }
    #expect(try await names() == ["anna's", "boris's", "anna's second"])
    for file in files { #expect(try await group.importing(file).unchanged == 1) }
  }

  @Test("are counted where the group has another one under the same key, which stays")
  func conflicting() async throws {
    let host = "login.windows.net"
    func file(_ name: String) -> JSONObject {
      [
        "Device": ["a": Self.entry(.anna, at: host, name), "b": ["name": .string("\(name) of nobody")]],
        "Odd": .string(name),
      ]
    }
    try await group.importing(file("first"))
    #expect(try await group.importing(file("first")).conflicting == 0)
    let second = try await group.importing(file("second"))
    #expect((second.conflicting, second.unchanged, second.updated) == (3, 1, 0))
    #expect(try await names() == ["first", "first of nobody"])
  }

  @Test("are found as what is left of an account, also inside another account's entry")
  func nested() async throws {
    var outer = Self.entry(.boris, at: "login.windows.net", "boris's").objectValue ?? [:]
    outer["inner"] = Self.entry(.anna, at: "login.windows.net", "anna's")
    try await group.importing(Self.file(["a": .object(outer)]))
    let directory = AccountDirectory(backend: group.backend)
    let left = try await directory.remains(of: TestUser.anna.identifier)
    #expect(left.map(\.identifier) == [TestUser.anna.identifier])
    try await directory.signOut(try #require(left.first))
    #expect(try await names() == ["boris's"])
    #expect(try await directory.remains(of: TestUser.anna.identifier).isEmpty)
  }

  /// Stores a member in the record of an account, as another version may.
  private func store(_ name: String, _ value: JSONValue, of person: TestUser) async throws {
    try await group.importing(cacheFile(of: person))
    try await group.backend.update(SharedGroup.key(of: person)) { $0?[member: name] = value }
  }

  @Test("are exported from the records of accounts and clients, each of them, whatever the keys")
  func exported() async throws {
    let host = "login.windows.net"
    try await store("Device", ["a": Self.entry(.anna, at: host, "anna's")], of: .anna)
    try await store(
      "Device", ["a": Self.entry(.boris, at: host, "boris's"), "b": ["name": "nobody's"]], of: .boris)
    try await group.importing(Self.file(["b": ["name": "left over"]]))
    #expect(try await names() == ["anna's", "boris's", "nobody's", "left over"])
    try await AccountDirectory(backend: group.backend).removeEverything(recordedAs: "test")
    #expect(try await names() == [])
  }

  @Test("are exported once, where several records have the same one, and none of a signed-out account's")
  func exportedOnce() async throws {
    let entry = Self.entry(.anna, at: "login.windows.net", "anna's")
    for person in [TestUser.anna, .boris] { try await store("Device", ["a": entry], of: person) }
    let export = try await CacheTransfer(backend: group.backend).exportUnified()
    #expect(try CacheDocument(parsing: export.json)[member: "Device"] == ["a": entry])
    let directory = AccountDirectory(backend: group.backend)
    for account in try await directory.accounts() where account.username == TestUser.anna.username {
      try await directory.signOut(account)
    }
    #expect(try await names() == [])
  }

  @Test("are exported in time in proportion to their number, under whatever keys")
  func linear() async throws {
    try await LinearWork.expect { count in
      let group = SharedGroup()
      for number in 0..<count {
        let key = RecordKey.credentials(
          homeAccountID: "user-\(number)", environment: "https://op.contoso.com", clientID: "c")
        try await group.backend.update(key) { stored in
          var document = CacheDocument()
          document[member: "Device"] = ["a": ["number": .string("\(number)")]]
          stored = document
        }
      }
      return try await WorkMeter.measuring {
        _ = try await CacheTransfer(backend: group.backend).exportUnified()
      }
    }
  }
}
