// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Refresh tokens that ADAL and MSAL send")
struct ADALRefreshRuleTests {
  private let group = SharedGroup()
  private static let outlook = "https://outlook.office.com"

  @Test("AD FS's refresh token remains if a response brings no other")
  func keptByADFS() async throws {
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    let changes: JSONObject = ["resource": .null, "client_info": .null]
    try await adfs.signIn(TestUser.anna.adalResponse(changing: changes))
    for number in 2...3 {
      group.clock.advance(by: 3600)
      await group.endpoint.response(
        TestUser.anna.adalResponse(
          number, changing: ["resource": .null, "client_info": .null, "refresh_token": .null]))
      #expect(try await adfs.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-\(number)")
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-1"])
  }

  @Test("AD FS's new refresh token is kept if a response brings no access token")
  func keptWithoutAccessToken() async throws {
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    let changes: JSONObject = ["resource": .null, "client_info": .null]
    try await adfs.signIn(TestUser.anna.adalResponse(changing: changes))
    group.clock.advance(by: 3600)
    await group.endpoint.response(
      TestUser.anna.adalResponse(
        2, changing: ["resource": .null, "client_info": .null, "access_token": .null]))
    let error = try await code { _ = try await adfs.acquireTokenSilent(resource: SharedGroup.graph) }
    #expect(error == .serverError)
    await group.endpoint.response(TestUser.anna.adalResponse(3, changing: changes))
    #expect(try await adfs.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-3")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-2"])
  }

  @Test("Nothing is sent where the item has no room for a new refresh token", arguments: [true, false])
  func noRoom(isFull: Bool) async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse())
    let size = CacheDocument.maximumBytes - (isFull ? 15_000 : 20_000)
    for item in try await mail.store.items() {
      try await group.backend.update(item.key) { stored in
        let used = stored?.byteCount ?? 0
        stored?[member: "x"] = .string(String(repeating: "x", count: size - used))
      }
    }
    group.clock.advance(by: 3600)
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    let error = try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
    #expect(error == (isFull ? .storageFailed : nil))
    #expect(await group.endpoint.sent == (isFull ? [] : ["rt-1"]))
  }

  @Test(
    "When an app without shared locks has redeemed a token meanwhile, the newer one is redeemed",
    arguments: [ADALGeneration.ownFormat, .bothFormats])
  func redeemedByAnother(generation: ADALGeneration) async throws {
    let (group, mail) = (group, try group.adal("mail", generation))
    try await mail.signIn(TestUser.anna.adalResponse())
    await group.endpoint.beforeResponding {
      if await group.endpoint.sent.count == 1 { try await mail.signIn(TestUser.anna.adalResponse(2)) }
    }
    await group.endpoint.refuse()
    await group.endpoint.response(TestUser.anna.adalResponse(3, resource: Self.outlook))
    #expect(try await mail.acquireTokenSilent(resource: Self.outlook).accessToken == "at-3")
    #expect(await group.endpoint.sent == ["rt-1", "rt-2"])
  }

  @Test(
    "The new refresh token for all resources is kept whatever resource the response names",
    arguments: [JSONValue.null, .number(JSONNumber(7)), .string("a\u{1}b"), .array([])],
    [ADALGeneration.ownFormat, .bothFormats])
  func oddResource(value: JSONValue, generation: ADALGeneration) async throws {
    let mail = try group.adal("mail", generation)
    try await mail.signIn(TestUser.anna.adalResponse())
    await group.endpoint.response(TestUser.anna.adalResponse(2, changing: ["resource": value]))
    #expect(try await mail.acquireTokenSilent(resource: Self.outlook).accessToken == "at-2")
    await group.endpoint.response(TestUser.anna.adalResponse(3, resource: "https://vault.azure.net"))
    #expect(try await mail.acquireTokenSilent(resource: "https://vault.azure.net").accessToken == "at-3")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-2"])
    if generation == .ownFormat { return }
    let account = try #require(try await group.app("calendar").account())
    await group.endpoint.response(TestUser.anna.response(4))
    _ = try await group.app("calendar").acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(await group.endpoint.requests.last?.refreshToken == "rt-3")
  }

  @Test("A sign-in at organizations is found there and at common", arguments: ["organizations", "common"])
  func organizations(tenant: String) async throws {
    try await group.adal("mail", .ownFormat, authority: "https://login.microsoftonline.com/organizations")
      .signIn(
        TestUser.anna.adalResponse())
    let mail = try group.adal("mail", .ownFormat, authority: "https://login.microsoftonline.com/\(tenant)")
    #expect(try await mail.acquireTokenSilent(resource: SharedGroup.graph).source == .cache)
    await group.endpoint.response(TestUser.anna.adalResponse(2, resource: Self.outlook))
    #expect(try await mail.acquireTokenSilent(resource: Self.outlook).accessToken == "at-2")
  }

  @Test(
    "A family's refresh token remains if a client proves to be in another family",
    arguments: [true, false])
  func clientMismatch(isADAL: Bool) async throws {
    try await group.store(TestUser.anna.legacyRefreshToken("family's", client: "foci-1"))
    await group.endpoint.response(["error": "invalid_grant", "suberror": "client_mismatch"], status: 400)
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

  @Test("A refused refresh token is sent once, whatever other records hold it", arguments: [true, false])
  func sentOnce(isADAL: Bool) async throws {
    try await group.adal("old").signIn(TestUser.anna.adalResponse(family: "1"))
    // Each record has another revision, so that no cached result serves another record.
    for (number, item) in try await ADALStore(backend: group.backend).items().enumerated() {
      for app in 0...number {
        let app = try SharedGroup.id("user\(app)")
        try await group.backend.update(item.key) { $0?.metadata[app] = .signedIn }
      }
    }
    for _ in 0..<4 { await group.endpoint.response(["error": "invalid_grant"], status: 400) }
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

  @Test("A refresh token for which ADAL's item was refused is not sent from MSAL's record")
  func refusedInBothFormats() async throws {
    try await group.app("mail").signIn(TestUser.anna.response(1))
    try await group.store(TestUser.anna.legacyRefreshToken("rt-1"))
    await group.endpoint.response(["error": "invalid_grant", "suberror": "consent_required"], status: 400)
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    let adal = try group.adal("old")
    #expect(
      try await code { _ = try await adal.acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
  }

  @Test("ADAL apps, too, respect a server's Retry-After")
  func throttled() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse())
    await group.endpoint.response(
      body: #"{"error":"temporarily_unavailable"}"#, status: 429, retryAfter: "90")
    for name in ["mail", "calendar"] {
      let adal = try group.adal(name, .ownFormat)
      let error = await #expect(throws: SecretStoreError(.serverError, "")) {
        try await adal.acquireTokenSilent(resource: Self.outlook)
      }
      #expect(error?.detail.hasSuffix("was not asked again.") == (name == "calendar"))
    }
    #expect(await group.endpoint.requests.count == 1)
    group.clock.advance(by: 91)
    await group.endpoint.response(TestUser.anna.adalResponse(2, resource: Self.outlook))
    #expect(try await mail.acquireTokenSilent(resource: Self.outlook).accessToken == "at-2")
  }

  @Test("A response for another account with the same name is discarded")
  func sameName() async throws {
    let mail = try group.adal("mail")
    try await mail.signIn(TestUser.anna.adalResponse())
    let other = TestUser(uid: TestUser.boris.uid, utid: TestUser.boris.utid, username: TestUser.anna.username)
    await group.endpoint.response(other.adalResponse(2, resource: Self.outlook))
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .accountMismatch)
  }

  @Test("An access token that ADAL gets by MSAL's refresh token is not MSAL's")
  func bridged() async throws {
    let scopes = ADALTokenCache.scopes(SharedGroup.graph)
    let account = try await group.app("calendar").signIn(
      TestUser.anna.response(1, scope: scopes.target), scopes: scopes)
    let idTokens = try await group.document()?.secrets(.idToken)
    await group.endpoint.response(
      TestUser.anna.adalResponse(2, changing: ["scope": "User.Read"]))
    _ = try await group.adal("mail").acquireTokenSilent(resource: SharedGroup.graph)
    #expect(try await group.document()?.secrets(.accessToken) == ["at-1"])
    #expect(try await group.document()?.secrets(.idToken) == idTokens)
    await group.endpoint.response(TestUser.anna.response(3, scope: "User.Read"))
    #expect(
      try await group.app("calendar").acquireTokenSilent(scopes: ["User.Read"], account: account).accessToken
        == "at-3")
  }

  @Test("Concurrent ADAL calls redeem MSAL's refresh token once")
  func bridgedTogether() async throws {
    try await group.app("calendar").signIn(TestUser.anna.response(1))
    await group.endpoint.response(TestUser.anna.adalResponse(2))
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
    "An issuer's refresh token is not sent to another issuer on its host",
    arguments: [
      ("https://id.contoso.com/realms/staff", "https://id.contoso.com/realms/customers"),
      (
        "https://contoso.b2clogin.com/tfp/contoso.com/one", "https://contoso.b2clogin.com/tfp/contoso.com/two"
      ),
    ])
  func issuers(one: String, other: String) async throws {
    try await group.store(TestUser.anna.legacyRefreshToken(authority: one))
    let mail = try group.adal("mail", .ownFormat, authority: other)
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("A client in no family does not send a family's refresh token")
  func outsider() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(TestUser.anna.response(1))
    try await group.store(TestUser.anna.legacyRefreshToken("family's", client: "foci-1"))
    for _ in 0..<2 { await group.endpoint.response(["error": "invalid_grant"], status: 400) }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["calendar.read"], account: account) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
  }

  @Test("MSAL sends ADAL's family refresh token if the client's is refused", arguments: [true, false])
  func familyAfterClient(knowsHome: Bool) async throws {
    try await group.store(TestUser.anna.legacyRefreshToken("own", knowsHome: knowsHome))
    try await group.store(
      TestUser.anna.legacyRefreshToken("family's", client: "foci-1", knowsHome: knowsHome))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.response(["error": "invalid_grant"], status: 400)
    await group.endpoint.response(TestUser.anna.response(2))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["own", "family's"])
  }

  @Test("A second family shares as the first one does")
  func otherFamily() async throws {
    try await group.adal("mail", .ownFormat).signIn(TestUser.anna.adalResponse(1, family: "2"))
    try await group.adal("mail", .ownFormat).signOut(userID: "anna@contoso.com")
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
  }
}
