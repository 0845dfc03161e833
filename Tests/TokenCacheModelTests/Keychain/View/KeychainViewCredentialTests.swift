// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: credentials")
struct KeychainViewCredentialTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()

  @Test(
    "A credential is found by its key with every field and unknown member",
    arguments: CredentialKind.allCases)
  func found(_ kind: CredentialKind) async throws {
    let view = try group.view()
    let entry = try Sample.credential(kind, "s", of: .anna, ["future": ["a": [1, nil]], "realm2": 3])
    try await view.save(entry)
    let stored = try #require(try await view.credential(for: KeychainItemKey(of: entry)))
    #expect(stored == entry)
    #expect(KeychainItemKey(of: stored) == KeychainItemKey(of: entry))
  }

  @Test("Members of a wrong type are stored, read as absent and left out of the key")
  func wrongTypes() async throws {
    let view = try group.view()
    let entry = try Sample.credential(
      .accessToken, "s", of: .anna, ["cached_at": [], "requested_claims": 1, "token_type": .null])
    try await view.save(entry)
    let stored = try #require(try await view.credential(for: KeychainItemKey(of: entry)))
    #expect(stored.fields == entry.fields)
    #expect(stored.cachedAt == nil)
  }

  @Test("An absent credential is nil, and a query for it finds none")
  func absent() async throws {
    let view = try group.view()
    let key = KeychainItemKey(of: try Sample.credential(.refreshToken))
    #expect(try await view.credential(for: key) == nil)
    #expect(try await view.credentials(matching: .items()) == [])
    #expect(try await !view.removeCredential(key))
    #expect(try await group.stored().isEmpty)
  }

  @Test("A key without a service throws invalidArgument in reads and removals", arguments: ["", " ", "\n\t"])
  func blankService(_ service: String) async throws {
    let view = try group.view()
    try await view.saveSignIn()
    let before = try await group.stored()
    let key = KeychainItemKey(account: "", service: service)
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.credential(for: key) }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.removeCredential(key) }
    #expect(try await group.stored() == before)
  }

  @Test("A key is exact: with another host of the cloud it finds nothing; a query without account finds all")
  func exact() async throws {
    let view = try group.view()
    let entry = try Sample.credential(.refreshToken)
    try await view.save(entry)
    let other = KeychainItemKey(of: entry.under("login.microsoftonline.com"))
    #expect(try await view.credential(for: other) == nil)
    #expect(try await !view.removeCredential(other))
    var criteria = KeychainCredentialCriteria(kind: .refreshToken)
    criteria.clientID = SharedGroup.suite
    #expect(try await view.credentials(matching: KeychainItemQuery(criteria)) == [entry])
  }

  @Test(
    "A query finds the items with its attributes",
    arguments: [
      (nil, nil, nil, nil, ["at", "boris", "id", "rt"]), (nil, nil, nil, 2002, ["boris", "rt"]),
      ("anna", nil, nil, nil, ["at", "id", "rt"]), ("anna", nil, nil, 2003, ["id"]),
      (nil, "refreshtoken-\(SharedGroup.suite)--", nil, nil, ["boris", "rt"]),
      (nil, nil, "idtoken-\(SharedGroup.suite)-\(TestUser.anna.utid)", nil, ["id"]),
      ("anna", "refreshtoken-\(SharedGroup.suite)--", "refreshtoken-\(SharedGroup.suite)-", 2002, ["rt"]),
      ("nobody", nil, nil, nil, []), (nil, "refreshtoken", nil, nil, []), (nil, nil, "", nil, []),
      (nil, nil, nil, 1003, []), ("anna", "", nil, nil, []),
    ] as [(String?, String?, String?, Int?, [String])])
  func query(account: String?, service: String?, generic: String?, type: Int?, expected: [String])
    async throws
  {
    let view = try group.view()
    try await view.save(try Sample.credential(.accessToken, "at"))
    try await view.save(try Sample.credential(.refreshToken, "rt"))
    try await view.save(try Sample.credential(.idToken, "", of: .anna, ["secret": "id"]))
    try await view.save(try Sample.credential(.refreshToken, "boris", of: .boris))
    let names = ["anna": "\(TestUser.anna.identifier)-\(Sample.host)"]
    let query = KeychainItemQuery.items(
      account: account.map { names[$0] ?? $0 }, service: service, generic: generic, type: type)
    #expect(try await view.credentials(matching: query).map(\.secret).sorted() == expected)
  }

  @Test("Saving replaces the item with the same key, whatever else only the cache distinguishes")
  func replaces() async throws {
    let view = try group.view()
    let first = try Sample.credential(
      .accessTokenWithAuthScheme, "one", of: .anna, ["token_type": "Pop", "kid": "key1"])
    let second = try Sample.credential(
      .accessTokenWithAuthScheme, "two", of: .anna, ["token_type": "Pop", "kid": "key2"])
    #expect(KeychainItemKey(of: first) == KeychainItemKey(of: second))
    try await view.save(first)
    try await view.save(second)
    #expect(try await view.credentials(matching: .items()) == [second])
    try await view.save(try Sample.credential(.refreshToken, "rt-1"))
    try await view.save(try Sample.credential(.refreshToken, "rt-2"))
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("Saving an equal item writes nothing")
  func unchanged() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    let before = try await group.revision()
    group.clock.advance(by: 60)
    try await view.saveSignIn()
    #expect(try await group.revision() == before)
  }

  @Test(
    "Removing deletes the item with the key and no other",
    arguments: [CredentialKind.accessToken, .refreshToken, .idToken])
  func removes(_ kind: CredentialKind) async throws {
    let view = try group.view()
    for person in [TestUser.anna, .boris] { try await view.saveSignIn(of: person) }
    let all = try await view.credentials(matching: .items())
    let gone = try #require(all.first { $0.kind == kind && $0.homeAccountID == TestUser.anna.identifier })
    #expect(try await view.removeCredential(KeychainItemKey(of: gone)))
    let left = try await view.credentials(matching: .items())
    #expect(Set(left) == Set(all).subtracting([gone]))
    #expect(left.count == all.count - 1)
    #expect(try await view.accounts(matching: .items()).count == 2)
    #expect(try await !view.removeCredential(KeychainItemKey(of: gone)))
  }

  @Test("Tokens that differ by app are two items")
  func apps() async throws {
    let view = try group.view()
    let entries = try ["", "app.one", "app.two"].map { app in
      try Sample.credential(
        .accessToken, "at \(app)", of: .anna,
        ["application_cache_identifier": app.isEmpty ? .null : .string(app)])
    }
    for entry in entries { try await view.save(entry) }
    for entry in entries { #expect(try await view.credential(for: KeychainItemKey(of: entry)) == entry) }
    #expect(try await view.removeCredential(KeychainItemKey(of: entries[1])))
    #expect(try await Set(view.credentials(matching: .items())) == [entries[0], entries[2]])
  }

  @Test("Credentials equal in the cache are one item, with another host or another order of scopes")
  func oneCredential() async throws {
    let view = try group.view()
    let first = try Sample.credential(.accessToken, "one")
    try await view.save(first)
    let reordered = try Sample.credential(.accessToken, "two", of: .anna, ["target": "openid Mail.Read"])
    try await view.save(reordered)
    #expect(try await view.credentials(matching: .items()) == [reordered])
    let moved = reordered.under("login.microsoftonline.com")
    try await view.save(moved)
    #expect(try await view.credentials(matching: .items()) == [moved])
  }

  @Test("Outside Azure AD, accounts whose IDs differ by case share keys but are never confused")
  func ambiguous() async throws {
    let view = try group.view()
    let entries = try ["ada", "Ada"].map { id in
      try Sample.credential(
        .refreshToken, "rt of \(id)", of: .anna,
        ["home_account_id": .string(id), "environment": "id.contoso.com"])
    }
    for entry in entries { try await view.save(entry) }
    let key = KeychainItemKey(of: entries[0])
    #expect(key == KeychainItemKey(of: entries[1]))
    await #expect(throws: SecretStoreError(.ambiguousAccount, "")) { try await view.credential(for: key) }
    await #expect(throws: SecretStoreError(.ambiguousAccount, "")) { try await view.removeCredential(key) }
    #expect(try await view.credentials(matching: .items()).count == 2)
  }

  @Test(
    "An account ID that its key cannot distinguish throws invalidArgument, and nothing is written",
    arguments: [" ", " uid.utid", "uid.utid\n"])
  func paddedAccount(_ id: String) async throws {
    let view = try group.view()
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await view.save(
        try Sample.credential(.refreshToken, "s", of: .anna, ["home_account_id": .string(id)]))
    }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await view.save(try Sample.account(.anna, ["home_account_id": .string(id)]))
    }
    #expect(try await group.stored().isEmpty)
  }
}
