// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Whose refresh token ADAL and MSAL send, and where")
struct ADALRefreshRuleTests {
  private let group = SharedGroup()
  private static let outlook = "https://outlook.office.com"

  @Test("AD FS's refresh token stays when an answer brings no other")
  func keptByADFS() async throws {
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    let changes: JSONObject = ["resource": .null, "client_info": .null]
    try await adfs.signIn(Person.anna.adalAnswer(changing: changes))
    for number in 2...3 {
      group.clock.advance(by: 3600)
      await group.endpoint.answer(
        Person.anna.adalAnswer(
          number, changing: ["resource": .null, "client_info": .null, "refresh_token": .null]))
      #expect(try await adfs.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-\(number)")
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-1"])
  }

  @Test(
    "What was signed in at organizations is found there and at common",
    arguments: ["organizations", "common"])
  func organizations(tenant: String) async throws {
    try await group.adal("mail", .ownFormat, authority: "https://login.microsoftonline.com/organizations")
      .signIn(
        Person.anna.adalAnswer())
    let mail = try group.adal("mail", .ownFormat, authority: "https://login.microsoftonline.com/\(tenant)")
    #expect(try await mail.acquireTokenSilent(resource: SharedGroup.graph).source == .cache)
    await group.endpoint.answer(Person.anna.adalAnswer(2, resource: Self.outlook))
    #expect(try await mail.acquireTokenSilent(resource: Self.outlook).accessToken == "at-2")
  }

  @Test(
    "A family's refresh token outlives a client that turns out to be in another family",
    arguments: [true, false])
  func clientMismatch(isADAL: Bool) async throws {
    try await group.plant(Person.anna.legacyRefreshToken("family's", client: "foci-1"))
    await group.endpoint.answer(["error": "invalid_grant", "suberror": "client_mismatch"], status: 400)
    if isADAL {
      let mail = try group.adal("mail", .ownFormat)
      #expect(
        try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
          == .interactionRequired)
    } else {
      let mail = try group.app("mail")
      let account = try #require(try await mail.account())
      for _ in 0..<2 {
        #expect(
          try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
            == .interactionRequired)
        group.clock.advance(by: 600)
      }
      #expect(await group.endpoint.requests.count == 1)
      #expect(try await mail.accounts().isEmpty)
    }
    #expect(try await group.legacyItems(.familyRefreshToken).count == 1)
  }

  @Test("A refused refresh token is sent once, wherever else it is kept", arguments: [true, false])
  func sentOnce(isADAL: Bool) async throws {
    try await group.adal("old").signIn(Person.anna.adalAnswer(family: "1"))
    // Each record is of another revision, so that nothing is remembered of one for another.
    for (number, item) in try await ADALStore(backend: group.backend).items().enumerated() {
      for app in 0...number {
        let app = try SharedGroup.id("user\(app)")
        try await group.backend.update(item.key) { $0?.sharing[app] = .signedIn }
      }
    }
    for _ in 0..<4 { await group.endpoint.answer(["error": "invalid_grant"], status: 400) }
    if isADAL {
      let mail = try group.adal("mail")
      #expect(
        try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) }
          == .interactionRequired)
    } else {
      let mail = try group.app("mail")
      let account = try #require(try await mail.account())
      #expect(
        try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
          == .interactionRequired)
    }
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("A server that asks to be left alone is, by ADAL's apps, too")
  func throttled() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer())
    await group.endpoint.answer(body: #"{"error":"temporarily_unavailable"}"#, status: 429, retryAfter: "90")
    for name in ["mail", "calendar"] {
      let adal = try group.adal(name, .ownFormat)
      #expect(
        try await code { _ = try await adal.acquireTokenSilent(resource: Self.outlook) } == .serverError)
    }
    #expect(await group.endpoint.requests.count == 1)
    group.clock.advance(by: 91)
    await group.endpoint.answer(Person.anna.adalAnswer(2, resource: Self.outlook))
    #expect(try await mail.acquireTokenSilent(resource: Self.outlook).accessToken == "at-2")
  }

  @Test("An answer for another account of the same name is dropped")
  func sameName() async throws {
    let mail = try group.adal("mail")
    try await mail.signIn(Person.anna.adalAnswer())
    let other = Person(uid: Person.boris.uid, utid: Person.boris.utid, username: Person.anna.username)
    await group.endpoint.answer(other.adalAnswer(2, resource: Self.outlook))
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .accountMismatch)
  }

  @Test("What ADAL is given by MSAL's refresh token is no access token of MSAL's")
  func bridged() async throws {
    let account = try await group.app("calendar").signIn(Person.anna.answer(1))
    let idTokens = try await group.document()?.secrets(.idToken)
    await group.endpoint.answer(
      Person.anna.adalAnswer(2, changing: ["scope": "User.Read"]))
    _ = try await group.adal("mail").acquireTokenSilent(resource: SharedGroup.graph)
    #expect(try await group.document()?.secrets(.accessToken) == ["at-1"])
    #expect(try await group.document()?.secrets(.idToken) == idTokens)
    await group.endpoint.answer(Person.anna.answer(3, scope: "User.Read"))
    #expect(
      try await group.app("calendar").acquireTokenSilent(scopes: ["User.Read"], account: account).accessToken
        == "at-3")
  }

  @Test("However many of ADAL's ask at once, MSAL's refresh token is redeemed once")
  func bridgedTogether() async throws {
    try await group.app("calendar").signIn(Person.anna.answer(1))
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    let tokens = try await withThrowingTaskGroup { tasks in
      for number in 0..<6 {
        tasks.addTask {
          try await group.adal("app\(number)").acquireTokenSilent(resource: SharedGroup.graph).accessToken
        }
      }
      return try await tasks.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens == ["at-2"])
  }

  @Test(
    "One issuer's refresh token is not sent to another of its host",
    arguments: [
      ("https://id.contoso.com/realms/staff", "https://id.contoso.com/realms/customers"),
      (
        "https://contoso.b2clogin.com/tfp/contoso.com/one", "https://contoso.b2clogin.com/tfp/contoso.com/two"
      ),
    ])
  func issuers(one: String, other: String) async throws {
    try await group.plant(Person.anna.legacyRefreshToken(authority: one))
    let mail = try group.adal("mail", .ownFormat, authority: other)
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("A client that is in no family does not send a family's refresh token")
  func outsider() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(Person.anna.answer(1))
    try await group.plant(Person.anna.legacyRefreshToken("family's", client: "foci-1"))
    for _ in 0..<2 { await group.endpoint.answer(["error": "invalid_grant"], status: 400) }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["calendar.read"], account: account) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
  }

  @Test(
    "MSAL tries ADAL's refresh token of the family when the client's is refused", arguments: [true, false])
  func familysAfterClients(knowsHome: Bool) async throws {
    try await group.plant(Person.anna.legacyRefreshToken("own", knowsHome: knowsHome))
    try await group.plant(Person.anna.legacyRefreshToken("family's", client: "foci-1", knowsHome: knowsHome))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.answer(["error": "invalid_grant"], status: 400)
    await group.endpoint.answer(Person.anna.answer(2))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["own", "family's"])
  }

  @Test("Another family than the first shares, too")
  func otherFamily() async throws {
    try await group.adal("mail", .ownFormat).signIn(Person.anna.adalAnswer(1, family: "2"))
    try await group.adal("mail", .ownFormat).signOut(userID: "anna@contoso.com")
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
  }
}
