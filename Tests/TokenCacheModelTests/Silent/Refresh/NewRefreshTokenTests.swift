// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("A new refresh token is never lost")
struct NewRefreshTokenTests {
  /// A response with a member that can't be right.
  struct Odd: Sendable, CustomTestStringConvertible {
    let member: String
    let value: JSONValue
    var testDescription: String { "\(member): \(value)" }
  }

  private let group = SharedGroup()
  private let log = CapturedLog()
  private let anna = TestUser.anna

  private static let wrongTypes: [Odd] = [
    "access_token", "id_token", "token_type", "scope", "client_info", "foci", "resource",
  ]
  .flatMap { member in ([1, true, ["a"], ["a": "b"]] as [JSONValue]).map { Odd(member: member, value: $0) } }

  private static let lifetimes: [Odd] = ["expires_in", "ext_expires_in", "refresh_in"].flatMap { member in
    ([-1, "-1", 2_145_916_800, "99999999999999999999", "an hour", "nan", true, [1]] as [JSONValue])
      .map { Odd(member: member, value: $0) }
  }

  private static let points: [Odd] = ["expires_on", "ext_expires_on", "refresh_on"].flatMap { member in
    ([-1, "soon", 9_999_999_999_999, true] as [JSONValue]).map { Odd(member: member, value: $0) }
  }

  private static let million = JSONValue.string(String(repeating: "x", count: 1_000_000))

  private static let encoded: [Odd] = [
    Odd(member: "access_token", value: million), Odd(member: "access_token", value: "rt-1"),
    Odd(member: "id_token", value: million),
    Odd(member: "id_token", value: "x"), Odd(member: "id_token", value: "a.b.c"),
    Odd(member: "id_token", value: "a.W10.c"), Odd(member: "id_token", value: "a.e30.c.d.e"),
    Odd(member: "id_token", value: .string(JSONValue.object(["sub": 5, "oid": "x"]).idToken)),
    Odd(member: "id_token", value: .string(JSONValue.object(["sub": "x", "iss": ["x"]]).idToken)),
    Odd(member: "client_info", value: "x!"), Odd(member: "client_info", value: "e30"),
    Odd(member: "client_info", value: .string(JSONValue.object(["uid": 1, "utid": 2]).base64URL)),
  ]

  /// Identifiers with a control character or too many combining marks.
  private static let unsafe: [Odd] = ["\u{0}", "\n", "\u{1B}", String(repeating: "\u{301}", count: 31)]
    .flatMap { character in
      let text = JSONValue.string("x\(character)x")
      let encoded = [
        ("client_info", JSONValue.object(["uid": text, "utid": "t"]).base64URL),
        ("client_info", JSONValue.object(["uid": "u", "utid": text]).base64URL),
        ("id_token", JSONValue.object(["sub": text]).idToken),
        ("id_token", JSONValue.object(["sub": "x", "tid": text]).idToken),
      ]
      return ["token_type", "scope", "foci", "resource", "client_info"].map { Odd(member: $0, value: text) }
        + encoded.map { Odd(member: $0.0, value: .string($0.1)) }
    }

  private func mail(
    authority: String = SharedGroup.azure, through backend: (any TokenCacheBackend)? = nil
  ) throws -> TokenCache {
    try group.app("mail", authority: authority, through: backend) { $0.logger = log.logger }
  }

  @Test(
    "A refresh stores it, whatever else is odd in the response",
    arguments: wrongTypes + lifetimes + points + encoded + unsafe)
  func oddResponse(_ odd: Odd) async throws {
    for authority in [SharedGroup.azure, "https://id.contoso.com"] {
      let isAzure = authority == SharedGroup.azure
      let mail = try mail(authority: authority)
      let account = try await mail.signIn(isAzure ? anna.response(1) : anna.openIDResponse(1))
      let response = isAzure ? anna.response(2) : anna.openIDResponse(2)
      await group.endpoint.response(response.changed(by: [odd.member: odd.value]))
      let result = try? await refresh(mail, account)
      // Without an access token the call fails, and the next one succeeds.
      #expect((result?.accessToken == "at-2") == (odd.member != "access_token"))
      await group.endpoint.response(isAzure ? anna.response(3) : anna.openIDResponse(3))
      #expect(try await refresh(mail, account).accessToken == "at-3")
      #expect(await group.endpoint.sent.suffix(2) == ["rt-1", "rt-2"])
    }
    let warnings = log.lines.filter { $0.level == .warning }
    #expect(warnings.map { $0.facts["members"] } == [odd.member, odd.member])
    #expect(warnings.allSatisfy { !$0.text.contains("2145916800") && $0.text.utf8.count < 200 })
  }

  @Test("A family's refresh token stays the family's when the response's foci is odd")
  func oddFamily() async throws {
    let account = try await mail().signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(2, changing: ["foci": 1]))
    #expect(try await refresh(mail(), account).accessToken == "at-2")
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-2"])
    #expect(try await group.document()?.secrets(.refreshToken) == [])
  }

  @Test(
    "A family's record that can't be read costs nobody the new refresh token: the client keeps it",
    arguments: ["hello", #"{"SecretStoreCache":{"format":99}}"#], [true, false])
  func damagedFamily(content: String, isSignIn: Bool) async throws {
    let account = try await mail().signIn(anna.response(1))
    await group.backend.storeRaw(Array(content.utf8), for: SharedGroup.familyKey())
    if isSignIn {
      try await mail().signIn(anna.response(2, family: "1"))
    } else {
      await group.endpoint.response(anna.response(2, family: "1"))
      let result = try await refresh(mail(), account)
      #expect(result.accessToken == "at-2" && result.saveError == nil)
    }
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
    // A sign-in is no logged call.
    #expect(isSignIn || log.lines.contains { $0.level == .warning && $0.text.contains("family") })
  }

  @Test(
    "A refresh stores it although the body breaks a rule of JSON",
    arguments: [
      #""a":1,"a":2,"#, #""a":"\ud800","#, #""a":"\ud800\u0041","#, #""a":[1,],"#, "\"a\":\"\t\u{1}\",",
      #""a":NaN,"#, #""a":03600,"#, #""a":[+1],"#, #""a":,"#, #""a":"\'","#, #""a":"\u12","#,
    ])
  func brokenBody(odd: String) async throws {
    let account = try await mail().signIn(anna.response(1))
    let whole = String(decoding: JSONValue.object(anna.response(2)).serialized(), as: UTF8.self)
    for body in [Array("{\(odd)\(whole.dropFirst())".utf8), Array("\(whole)\0".utf8), Self.latin(whole)] {
      await group.endpoint.response(bytes: body)
      #expect(try await refresh(mail(), account).accessToken == "at-2")
      #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
      #expect(log.lines.last { $0.level == .warning }?.facts["members"] == "body")
    }
  }

  /// The body with a member that is not UTF-8.
  private static func latin(_ whole: String) -> [UInt8] {
    Array("{\"a\":\"".utf8) + [0xE9] + Array("\",\(whole.dropFirst())".utf8)
  }

  @Test(
    "A lifetime that breaks a rule of JSON counts if it can be read",
    arguments: [("060", 60), ("+60", 60), ("-060", 0), ("NaN", 3600), ("Infinity", 3600), ("", 3600)])
  func brokenLifetime(sent: String, kept: Double) async throws {
    let account = try await mail().signIn(anna.response(1))
    let whole = anna.response(2, changing: ["expires_in": .null]).bytes
    let body = #"{"expires_in":\#(sent),"# + String(decoding: whole.dropFirst(), as: UTF8.self)
    await group.endpoint.response(body: body)
    let result = try await refresh(mail(), account)
    #expect(result.expiresOn == group.clock.now().addingTimeInterval(kept))
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test(
    "A word in place of a token is no token: the one that is stored stays", arguments: ["None", "undefined"])
  func wordForToken(word: String) async throws {
    let account = try await mail().signIn(anna.response(1))
    await group.endpoint.response(body: #"{"access_token":"at-2","refresh_token":\#(word)}"#)
    #expect(try await refresh(mail(), account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test(
    "A token with a control character is kept as it was sent", arguments: ["access_token", "refresh_token"])
  func unsafeToken(_ member: String) async throws {
    let account = try await mail().signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, changing: [member: "x\n\u{1B}2"]))
    _ = try await refresh(mail(), account)
    await group.endpoint.response(anna.response(3))
    #expect(try await refresh(mail(), account).accessToken == "at-3")
    #expect(await group.endpoint.sent.last == (member == "refresh_token" ? "x\n\u{1B}2" : "rt-2"))
  }

  @Test("A refresh stores it although the token type repeats the access token")
  func repeatedToken() async throws {
    let account = try await mail().signIn(anna.response(1))
    let token: JSONValue = "an-access-token-that-nobody-shows"
    await group.endpoint.response(anna.response(2, changing: ["access_token": token, "token_type": token]))
    #expect(try await refresh(mail(), account).tokenType == "Bearer")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A refresh stores it without client_info, also for a guest's tenant", arguments: [true, false])
  func withoutClientInfo(isHome: Bool) async throws {
    let account = try await mail().signIn(anna.response(1))
    let guest: JSONObject = ["oid": "guest", "tid": "3338040d-6c67-4c5b-b112-36a304b66dad"]
    let token = isHome ? anna.idToken : JSONValue.object(guest).idToken
    await group.endpoint.response(
      anna.response(2, changing: ["client_info": .null, "id_token": .string(token)]))
    #expect(try await refresh(mail(), account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("Without client_info an ID token of another person is still refused")
  func otherPersonWithoutClientInfo() async throws {
    let account = try await mail().signIn(anna.response(1))
    await group.endpoint.response(TestUser.boris.response(2, changing: ["client_info": .null]))
    await #expect(throws: SecretStoreError(.accountMismatch, "")) { try await refresh(mail(), account) }
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  /// The IDs of the signed-in person's ID token and of the refresh's, and whether the response is saved.
  private static let comparedIDs: [(signIn: JSONObject, refresh: JSONObject, isSaved: Bool)] = [
    // Without client_info, a `sub` is no object ID, and an object ID is no `sub`.
    (["oid": "uid", "sub": "a"], ["sub": "a"], true),
    (["oid": "uid", "sub": "a"], ["sub": "b"], false),
    (["oid": "uid", "sub": "a"], ["sub": "b", "aud": .string(SharedGroup.suite)], true),
    (["oid": "uid"], ["sub": "a"], true),
    (["sub": "a"], ["oid": "uid", "sub": "a"], true),
    (["sub": "a"], ["oid": "other", "sub": "a"], false),
    (["oid": "g", "tid": "t", "sub": "a"], ["tid": "t", "sub": "a"], true),
    (["oid": "g", "tid": "t", "sub": "a"], ["oid": "g", "tid": "t"], true),
    (["oid": "g", "tid": "t", "sub": "a"], ["oid": "h", "tid": "t", "sub": "a"], false),
    (["tid": "t", "sub": "a"], ["oid": "g", "tid": "t", "sub": "a"], true),
    (["tid": "t", "sub": "a"], ["oid": "g", "tid": "t"], true),
  ]

  @Test(
    "Without client_info an object ID is compared with object IDs, and a sub with the client's",
    arguments: comparedIDs)
  func ids(signIn: JSONObject, refreshed: JSONObject, isSaved: Bool) async throws {
    func token(_ claims: JSONObject) -> JSONObject {
      var claims = claims
      for (name, value) in claims where value == "uid" { claims[name] = .string(anna.uid) }
      if claims["tid"] == nil { claims["tid"] = .string(anna.utid) }
      return ["id_token": .string(JSONValue.object(claims).idToken)]
    }
    let account = try await mail().signIn(anna.response(1, changing: token(signIn)))
    await group.endpoint.response(
      anna.response(2, changing: ["client_info": .null]).changed(by: token(refreshed)))
    _ = try? await refresh(mail(), account)
    #expect(try await group.document()?.secrets(.refreshToken) == [isSaved ? "rt-2" : "rt-1"])
  }

  @Test("A refresh stores it whatever the status of success", arguments: [200, 201, 203, 299])
  func status(_ status: Int) async throws {
    let account = try await mail().signIn(anna.response(1))
    await group.endpoint.response(anna.response(2), status: status)
    #expect(try await refresh(mail(), account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  /// What stores a sign-in's response.
  enum SignIn: CaseIterable { case acquires, saves, savesADAL }

  @Test(
    "A sign-in's odd lifetime is clamped, and a warning names it",
    arguments: [(-5, 0), (2_145_916_800, 315_360_000)])
  func oddSignIn(sent: Int, kept: Double) async throws {
    let lifetime = JSONValue(integerLiteral: sent)
    try await mail().signIn(anna.response(1, changing: ["expires_in": lifetime]))
    let token = try await group.document()?.credentials.first { $0.kind.isAccessToken }
    #expect(token?.expiresOn == group.clock.now().addingTimeInterval(kept))
    #expect(log.lines.filter { $0.level == .warning }.map { $0.facts["members"] } == ["expires_in"])
  }

  @Test("A sign-in stores it although the task is cancelled", arguments: SignIn.allCases)
  func cancelledSignIn(_ signIn: SignIn) async throws {
    let task = Task { [group, anna] in
      while !Task.isCancelled { await Task.yield() }
      switch signIn {
      case .acquires:
        _ = try await group.app("mail").acquireToken(
          from: TokenResponse(members: anna.response(1)), scopes: ["mail.read"])
      case .saves: try await group.app("mail").signIn(anna.response(1))
      case .savesADAL: try await group.adal("old").signIn(anna.adalResponse(1))
      }
    }
    task.cancel()
    try await task.value
    let stored = try await group.stored().values.map { String(decoding: $0, as: UTF8.self) }
    #expect(stored.contains { $0.contains("rt-1") })
  }
}
