// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Access token selector")
struct AccessTokenSelectorTests {
  private func match(
    environment: String = "login.microsoftonline.com", realms: [String]? = ["tenant"],
    scopes: Scopes = ["s1"], after seconds: TimeInterval = 0, buffer: TimeInterval = 300
  ) -> AccessTokenSelector {
    choice(
      environment: environment, realms: realms, scopes: scopes, now: TestClock.start + seconds, buffer: buffer
    )
  }

  private func choice(
    environment: String, realms: [String]?, scopes: Scopes, now: Date, buffer: TimeInterval = 300
  ) -> AccessTokenSelector {
    var query = CredentialQuery([.accessToken])
    query.environments = [environment]
    query.target = .subset(scopes)
    query.tokenType = .absent
    query.keyID = .absent
    query.requestedClaims = .absent
    query.applicationIdentifier = .absent
    query.extendedCacheKey = .absent
    return AccessTokenSelector(query: query, realms: realms, now: now, expiryBuffer: buffer)
  }

  private func document(_ tokens: [JSONObject]) -> CacheDocument {
    var entries: JSONObject = [:]
    for (number, changes) in tokens.enumerated() {
      let fields = EntryBuilder.fields(.accessToken, secret: "\(number)", changing: changes)
      entries["key \(number)"] = .object(fields)
    }
    return EntryBuilder.document(.accessToken, entries)
  }

  @Test(
    "A token counts as expired before its expiry by the length of the buffer",
    arguments: [
      (0, 300, true), (3299, 300, true), (3300, 300, false), (3600, 300, false), (3599, 0, true),
      (3600, 0, false), (4000, 300, false), (0, 3600, false),
    ] as [(TimeInterval, TimeInterval, Bool)])
  func expiry(after seconds: TimeInterval, buffer: TimeInterval, fits: Bool) {
    let found = match(after: seconds, buffer: buffer).best(in: document([[:]]))
    #expect((found != nil) == fits)
  }

  @Test(
    "A token without a readable expiry does not match",
    arguments: [.null, "", "soon", "-5", true] as [JSONValue])
  func noExpiry(value: JSONValue) {
    #expect(match().best(in: document([["expires_on": value]])) == nil)
  }

  @Test(
    "A token cached in the future does not match, since the clock was set back",
    arguments: [(0, true), (-1, true), (-2, false), (-86400, false)] as [(TimeInterval, Bool)])
  func cachedInFuture(after seconds: TimeInterval, fits: Bool) {
    #expect((match(after: seconds).best(in: document([[:]])) != nil) == fits)
  }

  @Test("MSAL Java's token of the year 318857 was cached in the future, too")
  func farFuture() throws {
    let document = try CacheDocument(parsing: try Fixtures.bytes("java-aad/full_cache.json"))
    #expect(match(realms: nil, scopes: ["scopes"]).best(in: document) == nil)
  }

  @Test(
    "A token must have all requested scopes",
    arguments: [
      (["s1"], true), (["S2", "s1"], true), (["s3"], false), (["s1", "s3"], false), (["openid"], false),
      (["s"], false),
    ] as [(Scopes, Bool)])
  func scopes(_ scopes: Scopes, fits: Bool) {
    #expect((match(scopes: scopes).best(in: document([[:]])) != nil) == fits)
  }

  @Test(
    "A requested tenant must be equal in any case",
    arguments: [("tenant", true), ("TENANT", true), (nil, true), ("other", false), ("", false)]
      as [(String?, Bool)])
  func realm(_ realm: String?, fits: Bool) {
    #expect((match(realms: realm.map { [$0] }).best(in: document([[:]])) != nil) == fits)
  }

  @Test("Of several matching tenants the first one's token is selected, although another's is newer")
  func preferredRealm() {
    let document = document([
      ["realm": "home", "secret": "home's", "cached_at": "1000"],
      ["realm": "common", "secret": "common's", "cached_at": "2000"],
    ])
    #expect(match(realms: ["home", "common"]).best(in: document)?.token.secret == "home's")
    #expect(match(realms: ["common", "home"]).best(in: document)?.token.secret == "common's")
  }

  @Test("A token under an alias of the environment matches, one of another cloud does not")
  func environment() {
    #expect(match(environment: "sts.windows.net").best(in: document([[:]])) != nil)
    #expect(match(environment: "login.microsoftonline.us").best(in: document([[:]])) == nil)
  }

  @Test("Of several matching tokens the one cached last is used, then the one whose key sorts first")
  func several() {
    let tokens: [JSONObject] = [
      ["cached_at": "1699999000"], ["cached_at": "1699999999", "target": "s1 s2 s9"],
      ["cached_at": "1699999999", "target": "s1 s2 s8"], ["cached_at": .null],
      ["cached_at": "1700000000", "target": "s7"],
    ]
    for _ in 0..<20 {
      #expect(match().best(in: document(tokens.shuffled()))?.token.scopes == ["s1", "s2", "s8"])
    }
  }

  @Test("A fresh token precedes one due for refresh, and that one precedes an expired one")
  func mostValid() {
    let ahead: JSONObject = [
      "cached_at": "1700000000", "realm": "first", "extended_expires_on": "1700009000",
    ]
    let (due, spent): (JSONObject, JSONObject) = (
      ahead.changed(by: ["secret": "due", "refresh_on": "1699999999"]),
      ahead.changed(by: ["secret": "spent", "expires_on": "1700000100"])
    )
    let fresh: JSONObject = ["secret": "fresh", "cached_at": "1699999000"]
    for (tokens, best) in [
      ([due, spent, fresh], "fresh"), ([spent, due.changed(by: ["realm": "tenant"])], "due"),
    ] {
      for tokens in [tokens, tokens.reversed()] {
        #expect(match(realms: ["first", "tenant"]).best(in: document(tokens))?.token.secret == best)
      }
    }
  }

  @Test(
    "A key-bound token, or one of another scheme or claims, is not returned",
    arguments: [
      ["credential_type": "AccessToken_With_AuthScheme", "token_type": "pop"],
      ["credential_type": "AccessToken_With_AuthScheme"], ["kid": "k"], ["key_id": "k"], ["keyid": "k"],
      ["keyId": "k"], ["requested_claims": "{}"], ["requestedClaims": "{}"],
      ["application_cache_identifier": "a"], ["token_type": "pop"],
    ] as [JSONObject])
  func bound(changes: JSONObject) {
    #expect(match().best(in: document([changes])) == nil)
  }

  @Test("Node's document yields the bearer token and not the key-bound one with the same scopes")
  func node() throws {
    let document = try CacheDocument(parsing: try Fixtures.bytes("node.json"))
    let choice = choice(
      environment: "login.windows.net", realms: ["microsoft"], scopes: ["scope4"],
      now: Date(timeIntervalSince1970: 2000))
    #expect(choice.best(in: document)?.token.secret == "an access token")
  }
}
