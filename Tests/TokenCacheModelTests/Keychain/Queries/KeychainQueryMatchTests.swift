// SPDX-License-Identifier: MIT

import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Matches of keychain queries")
struct KeychainQueryMatchTests {
  /// All keys in a keychain of two accounts.
  private static func keychain() throws -> [KeychainItemKey] {
    var keys: [KeychainItemKey] = []
    for home in ["uid.utid", "uid2.utid"] {
      for kind in CredentialKind.allCases {
        let changes: JSONObject = ["home_account_id": .string(home), "target": "user.read"]
        keys.append(try KeychainSample.key(kind, changes))
        if kind.section == .refreshToken {
          keys.append(try KeychainSample.key(kind, changes.changed(by: ["family_id": "family"])))
        }
        guard kind.isAccessToken else { continue }
        for (name, value) in [
          ("token_type", "Pop"), ("token_type", "ssh-cert"), ("requested_claims", "abc"),
          ("application_cache_identifier", "app.bundle.id"), ("client_id", "client2"),
          ("realm", "fabrikam.com"),
        ] { keys.append(try KeychainSample.key(kind, changes.changed(by: [name: .string(value)]))) }
      }
      let account = AccountEntry(
        homeAccountID: home, environment: "login.microsoftonline.com", realm: "contoso.com")
      keys.append(KeychainItemKey(of: account))
    }
    let metadata = AppMetadataEntry(
      clientID: "client", environment: "login.microsoftonline.com", familyID: "1")
    return keys + [KeychainItemKey(of: metadata), KeychainItemKey(accountMetadataOf: "client")]
  }

  /// A part of criteria.
  typealias AttributePart = any WritableKeyPath<KeychainCredentialCriteria, String?> & Sendable

  private static let full: QueryPart = [.home, .environment, .client, .realm, .target]

  private func found(_ query: KeychainItemQuery) throws -> [KeychainItemKey] {
    try Self.keychain().filter { query.matches($0) }
  }

  @Test("All keys of a keychain differ by account and service")
  func distinct() throws {
    let keys = try Self.keychain()
    #expect(Set(keys.map { [$0.account, $0.service] }).count == keys.count)
  }

  @Test(
    "An exact query finds the requested credential only",
    arguments: [
      (.accessToken, full, [:]),
      (.accessToken, full.union(.app), ["application_cache_identifier": "app.bundle.id"]),
      (.accessToken, full.union(.claims), ["requested_claims": "abc"]),
      (.accessTokenWithAuthScheme, full.union(.scheme), ["token_type": "Pop"]), (.refreshToken, full, [:]),
      (.refreshToken, full.union(.family), ["family_id": "family"]),
      (.primaryRefreshToken, full.subtracting(.realm), [:]),
      (.idToken, full, [:]), (.v1IDToken, full, [:]),
    ] as [(CredentialKind, QueryPart, JSONObject)])
  func exact(kind: CredentialKind, given: QueryPart, changes: JSONObject) throws {
    let query = KeychainItemQuery(given.criteria(kind))
    #expect(query.isExactMatch)
    #expect(try found(query) == [KeychainSample.key(kind, changes.changed(by: ["target": "user.read"]))])
  }

  @Test(
    "An exact query for an absent credential finds none",
    arguments: [
      (.accessToken, \.applicationIdentifier), (.accessToken, \.target), (.accessToken, \.realm),
      (.accessToken, \.requestedClaims), (.accessToken, \.tokenType), (.accessToken, \.clientID),
      (.accessToken, \.environment), (.accessToken, \.homeAccountID),
      (.accessTokenWithAuthScheme, \.tokenType), (.accessTokenWithAuthScheme, \.applicationIdentifier),
      (.refreshToken, \.clientID), (.refreshToken, \.familyID), (.refreshToken, \.homeAccountID),
      (.idToken, \.clientID), (.idToken, \.realm), (.idToken, \.environment),
    ] as [(CredentialKind, AttributePart)])
  func nothing(kind: CredentialKind, part: AttributePart) throws {
    var criteria = Self.full.criteria(kind)
    criteria[keyPath: part] = "other"
    let query = KeychainItemQuery(criteria)
    #expect(query.isExactMatch)
    #expect(try found(query).isEmpty)
  }

  @Test(
    "A credential is found by each query that leaves some of its own parts open",
    arguments: CredentialKind.allCases)
  func ownParts(_ kind: CredentialKind) throws {
    let key = try KeychainSample.key(kind, ["target": "user.read"])
    let own: QueryPart = kind.section == .refreshToken ? Self.full.subtracting(.realm) : Self.full
    for given in QueryPart.combinations where own.isSuperset(of: given) {
      #expect(KeychainItemQuery(given.criteria(kind)).matches(key))
      #expect(KeychainItemQuery(given.criteria(nil)).matches(key))
    }
  }

  @Test("An access token partitioned by app is found by a query for that app only")
  func partition() throws {
    let given: QueryPart = [.client, .realm]
    let app = try KeychainSample.key(.accessToken, ["application_cache_identifier": "app.bundle.id"])
    #expect(KeychainItemQuery(given.union(.app).criteria(.accessToken)).matches(app))
    #expect(!KeychainItemQuery(given.criteria(.accessToken)).matches(app))
    #expect(KeychainItemQuery(QueryPart.client.criteria(.accessToken)).matches(app))
  }

  @Test(
    "An item is found if it has all attributes of the query, and not if one differs",
    arguments: [
      (KeychainItemQuery(), true), (KeychainItemQuery(account: "a"), true),
      (KeychainItemQuery(service: "s"), true), (KeychainItemQuery(generic: "g"), true),
      (KeychainItemQuery(type: 1), true),
      (KeychainItemQuery(account: "a", service: "s", generic: "g", type: 1), true),
      (KeychainItemQuery(account: "b", service: "s", generic: "g", type: 1), false),
      (KeychainItemQuery(account: "a", service: "t", generic: "g", type: 1), false),
      (KeychainItemQuery(account: "a", service: "s", generic: "h", type: 1), false),
      (KeychainItemQuery(account: "a", service: "s", generic: "g", type: 2), false),
      (KeychainItemQuery(account: ""), false), (KeychainItemQuery(account: "A"), false),
      (KeychainItemQuery(service: "s "), false), (KeychainItemQuery(generic: ""), false),
    ])
  func attributes(query: KeychainItemQuery, expected: Bool) {
    #expect(query.matches(KeychainItemKey(account: "a", service: "s", generic: "g", type: 1)) == expected)
  }

  @Test("A query with a generic attribute or type finds no item without it")
  func withoutAttributes() {
    let key = KeychainItemKey(account: "a", service: "s")
    #expect(KeychainItemQuery(account: "a", service: "s").matches(key))
    #expect(!KeychainItemQuery(generic: "").matches(key))
    #expect(!KeychainItemQuery(type: 0).matches(key))
  }
}
