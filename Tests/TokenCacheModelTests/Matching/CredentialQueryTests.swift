// SPDX-License-Identifier: MIT

import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Credential query")
struct CredentialQueryTests {
  /// One part of a query, and an entry that this part excludes.
  struct FilterCase: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: CredentialKind
    let asking: @Sendable (inout CredentialQuery) -> Void
    let other: JSONObject

    init(
      _ name: String, _ kind: CredentialKind = .accessToken, other: JSONObject,
      _ asking: @escaping @Sendable (inout CredentialQuery) -> Void
    ) {
      self.name = name
      self.kind = kind
      self.asking = asking
      self.other = other
    }

    var testDescription: String { name }
  }

  /// The members of every entry in these tests, so that each filter matches something.
  static let members: JSONObject = [
    "requested_claims": #"{"a":1}"#, "application_cache_identifier": "com.contoso.mail", "kid": "key-1",
    "token_type": "pop",
  ]

  static let filters = [
    FilterCase("home account id", other: ["home_account_id": "somebody.else"]) {
      $0.homeAccountID = "uid.utid"
    },
    FilterCase("environment", other: ["environment": "login.microsoftonline.us"]) {
      $0.environments = ["login.windows.net"]
    },
    FilterCase("environment alias", other: ["environment": "login.microsoftonline.us"]) {
      $0.environments = ["id.contoso.com", "STS.windows.net"]
    },
    FilterCase("realm", other: ["realm": "guest"]) { $0.realm = "TENANT" },
    FilterCase("no realm in the entry", other: ["realm": .null]) { $0.realm = "tenant" },
    FilterCase("client", other: ["client_id": "another"]) { $0.owner = .client("client") },
    FilterCase("client or family", other: ["client_id": "another"]) {
      $0.owner = .clientOrFamily(client: "client", family: "1")
    },
    FilterCase("exact target", other: ["target": "s1 s2 s3"]) { $0.target = .exact(["S2", "s1"]) },
    FilterCase("subset of the target", other: ["target": "s2"]) { $0.target = .subset(["S1"]) },
    FilterCase("intersection with the target", other: ["target": "s2"]) {
      $0.target = .intersect(["s9", "S1"])
    },
    FilterCase("token type", other: ["token_type": "ssh-cert"]) { $0.tokenType = .equal("PoP") },
    FilterCase("no token type", other: Self.members) {
      $0.tokenType = .absent
    },
    FilterCase("key", other: ["kid": "key-2"]) { $0.keyID = .equal("key-1") },
    FilterCase("requested claims", other: ["requested_claims": #"{"A":1}"#]) {
      $0.requestedClaims = .equal(#"{"a":1}"#)
    },
    FilterCase("application identifier", other: ["application_cache_identifier": "com.contoso.calendar"]) {
      $0.applicationIdentifier = .equal("com.contoso.mail")
    },
    FilterCase("a peer's own key", other: ["ext_cache_key": "abc"]) { $0.extendedCacheKey = .absent },
    FilterCase("family", .refreshToken, other: ["family_id": .null]) { $0.owner = .family("1") },
    FilterCase("bound device", .boundRefreshToken, other: ["bound_device_id": "device-2"]) {
      $0.boundDeviceID = .equal("device-1")
    },
  ]

  private func entries(_ filter: FilterCase) throws -> (fitting: CredentialEntry, other: CredentialEntry) {
    var common: JSONObject = filter.name == "no token type" ? [:] : Self.members
    if filter.kind == .refreshToken { common = ["family_id": "1"] }
    if filter.kind == .boundRefreshToken { common = ["bound_device_id": "device-1"] }
    let fitting = try #require(EntryBuilder.credential(filter.kind, secret: "fits", changing: common))
    let fields = EntryBuilder.fields(filter.kind, secret: "other", changing: common).changed(by: filter.other)
    let other = try #require(CredentialEntry(.object(fields), section: filter.kind.section))
    return (fitting, other)
  }

  @Test("Each part of a query alone finds the matching entries only", arguments: filters)
  func alone(_ filter: FilterCase) throws {
    let entries = try entries(filter)
    var query = CredentialQuery([filter.kind])
    #expect(Set(query.matches(in: [entries.fitting, entries.other]).map(\.secret)) == ["fits", "other"])
    filter.asking(&query)
    #expect(query.matches(in: [entries.other, entries.fitting]).map(\.secret) == ["fits"])
  }

  @Test(
    "A query with all parts skips an entry that differs in one",
    arguments: filters.filter {
      $0.kind == .accessToken && !["no token type", "exact target"].contains($0.name)
    })
  func allButOne(_ filter: FilterCase) throws {
    let entries = try entries(filter)
    var query = CredentialQuery([.accessToken])
    for part in Self.filters where part.kind == .accessToken && part.name != "no token type" {
      part.asking(&query)
    }
    query.target = .any
    if filter.name.contains("target") { filter.asking(&query) }
    #expect(query.matches(in: [entries.other, entries.fitting]).map(\.secret) == ["fits"])
  }

  @Test("A query without parts finds all credentials of its kinds and no others")
  func kinds() throws {
    let entries = try CredentialKind.allCases.map {
      try #require(EntryBuilder.credential($0, secret: $0.rawValue))
    }
    #expect(CredentialQuery().matches(in: entries).count == CredentialKind.allCases.count)
    #expect(CredentialQuery([]).matches(in: entries).isEmpty)
    for kind in CredentialKind.allCases {
      #expect(CredentialQuery([kind]).matches(in: entries).map(\.secret) == [kind.rawValue])
    }
  }

  @Test("A refresh token does not match a tenant or a scope, nor another kind a family")
  func nothing() throws {
    let refresh = try #require(EntryBuilder.credential(.refreshToken, changing: ["family_id": "1"]))
    let access = try #require(EntryBuilder.credential(.accessToken))
    let id = try #require(EntryBuilder.credential(.idToken))
    var realm = CredentialQuery()
    realm.realm = "tenant"
    #expect(!realm.matches(refresh))
    var target = CredentialQuery()
    target.target = .subset(["s1"])
    #expect(!target.matches(refresh))
    var family = CredentialQuery()
    family.owner = .family("1")
    #expect(family.matches(in: [refresh, access, id]).map(\.kind) == [.refreshToken])
    var client = CredentialQuery()
    client.owner = .client("client")
    #expect(!client.matches(refresh), "a family's token is the family's, whoever wrote it")
  }

  @Test(
    "Absent claims, blank claims and no claims are equal",
    arguments: [nil, "", "  "] as [String?], [.null, "", " "] as [JSONValue])
  func blankClaims(wanted: String?, stored: JSONValue) throws {
    var query = CredentialQuery()
    query.requestedClaims = ValueMatch(wanted)
    let entry = try #require(EntryBuilder.credential(.accessToken, changing: ["requested_claims": stored]))
    #expect(query.matches(entry))
    #expect(
      !query.matches(
        try #require(EntryBuilder.credential(.accessToken, changing: ["requested_claims": "{}"]))))
  }

  @Test("Several matches are sorted by cached date, last first, then by key, in any stored order")
  func order() throws {
    let entries = try [
      ["cached_at": "1000", "target": "a"], ["cached_at": "3000", "target": "c"],
      ["cached_at": "3000", "target": "b"], ["cached_at": .null, "target": "d"],
    ].map { (changes: JSONObject) in try #require(EntryBuilder.credential(.accessToken, changing: changes)) }
    for _ in 0..<10 {
      let found = CredentialQuery().matches(in: entries.shuffled())
      #expect(found.map(\.scopes.target) == ["b", "c", "a", "d"])
    }
  }

  @Test("Five languages' names for a token's key are equal", arguments: ["kid", "key_id", "keyid", "keyId"])
  func keyNames(name: String) throws {
    let entry = try #require(EntryBuilder.credential(.accessTokenWithAuthScheme, changing: [name: "key-1"]))
    #expect(entry.keyID == "key-1")
  }
}
