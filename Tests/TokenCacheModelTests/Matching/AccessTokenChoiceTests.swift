// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing

@testable import TokenCacheModel

@Suite("The choice of an access token")
struct AccessTokenChoiceTests {
  private func match(
    environment: String = "login.microsoftonline.com", realms: [String]? = ["tenant"],
    scopes: Scopes = ["s1"], after seconds: TimeInterval = 0, buffer: TimeInterval = 300
  ) -> AccessTokenChoice {
    choice(
      environment: environment, realms: realms, scopes: scopes, now: TestClock.start + seconds, buffer: buffer
    )
  }

  private func choice(
    environment: String, realms: [String]?, scopes: Scopes, now: Date, buffer: TimeInterval = 300
  ) -> AccessTokenChoice {
    var query = CredentialQuery([.accessToken])
    query.environments = [environment]
    query.target = .subset(scopes)
    query.tokenType = .absent
    query.keyID = .absent
    query.requestedClaims = .absent
    query.applicationIdentifier = .absent
    query.extendedCacheKey = .absent
    return AccessTokenChoice(query: query, realms: realms, now: now, expiryBuffer: buffer)
  }

  private func document(_ tokens: [JSONObject]) -> CacheDocument {
    var entries: JSONObject = [:]
    for (number, changes) in tokens.enumerated() {
      let fields = Entry.fields(.accessToken, secret: "\(number)", changing: changes)
      entries["key \(number)"] = .object(fields)
    }
    return Entry.document(.accessToken, entries)
  }

  @Test(
    "A token counts as expired as long before its expiry as the buffer says",
    arguments: [
      (0, 300, true), (3299, 300, true), (3300, 300, false), (3600, 300, false), (3599, 0, true),
      (3600, 0, false), (4000, 300, false), (0, 3600, false),
    ] as [(TimeInterval, TimeInterval, Bool)]
  )
  func expiry(after seconds: TimeInterval, buffer: TimeInterval, fits: Bool) {
    let found = match(after: seconds, buffer: buffer).best(in: document([[:]]))
    #expect((found != nil) == fits)
  }

  @Test(
    "A token without a readable expiry does not fit",
    arguments: [.null, "", "soon", "-5", true] as [JSONValue]
  )
  func noExpiry(value: JSONValue) {
    #expect(match().best(in: document([["expires_on": value]])) == nil)
  }

  @Test(
    "A token cached in the future does not fit: the clock was set back",
    arguments: [(0, true), (-1, true), (-2, false), (-86400, false)] as [(TimeInterval, Bool)]
  )
  func cachedInFuture(after seconds: TimeInterval, fits: Bool) {
    #expect((match(after: seconds).best(in: document([[:]])) != nil) == fits)
  }

  @Test("MSAL Java's token of the year 318857 was cached in the future, too")
  func farFuture() throws {
    let document = try CacheDocument(parsing: try Fixtures.bytes("java-aad/full_cache.json"))
    #expect(match(realms: nil, scopes: ["scopes"]).best(in: document) == nil)
  }

  @Test(
    "All scopes asked for must be in the token",
    arguments: [
      (["s1"], true), (["S2", "s1"], true), (["s3"], false), (["s1", "s3"], false), (["openid"], false),
      (["s"], false),
    ] as [(Scopes, Bool)]
  )
  func scopes(_ scopes: Scopes, fits: Bool) {
    #expect((match(scopes: scopes).best(in: document([[:]])) != nil) == fits)
  }

  @Test(
    "The tenant must be the one asked for, in any case, if one was",
    arguments: [("tenant", true), ("TENANT", true), (nil, true), ("other", false), ("", false)]
      as [(String?, Bool)]
  )
  func realm(_ realm: String?, fits: Bool) {
    #expect((match(realms: realm.map { [$0] }).best(in: document([[:]])) != nil) == fits)
  }

  @Test("Of several tenants that fit, the first one's token is chosen, although another's is newer")
  func preferredRealm() {
    let document = document([
      ["realm": "home", "secret": "home's", "cached_at": "1000"],
      ["realm": "common", "secret": "common's", "cached_at": "2000"],
    ])
    #expect(match(realms: ["home", "common"]).best(in: document)?.token.secret == "home's")
    #expect(match(realms: ["common", "home"]).best(in: document)?.token.secret == "common's")
  }

  @Test("A token under an alias of the environment fits, one of another cloud doesn't")
  func environment() {
    #expect(match(environment: "sts.windows.net").best(in: document([[:]])) != nil)
    #expect(match(environment: "login.microsoftonline.us").best(in: document([[:]])) == nil)
  }

  @Test("Of several that fit, the one cached last is used, then the one whose key sorts first")
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

  @Test(
    "A token that is bound to a key, of another scheme or of other claims is not returned",
    arguments: [
      ["credential_type": "AccessToken_With_AuthScheme", "token_type": "pop"],
      ["credential_type": "AccessToken_With_AuthScheme"], ["kid": "k"], ["key_id": "k"], ["keyid": "k"],
      ["keyId": "k"], ["requested_claims": "{}"], ["requestedClaims": "{}"],
      ["application_cache_identifier": "a"], ["token_type": "pop"],
    ] as [JSONObject]
  )
  func bound(changes: JSONObject) {
    #expect(match().best(in: document([changes])) == nil)
  }

  @Test("Node's document gives the plain token and not the bound one of the same scopes")
  func node() throws {
    let document = try CacheDocument(parsing: try Fixtures.bytes("node.json"))
    let choice = choice(
      environment: "login.windows.net", realms: ["microsoft"], scopes: ["scope4"],
      now: Date(timeIntervalSince1970: 2000))
    #expect(choice.best(in: document)?.token.secret == "an access token")
  }
}
