// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("ADAL: silent calls")
struct ADALSilentTests {
  private let group = SharedGroup()
  private static let outlook = "https://outlook.office.com"

  @Test("An unexpired token of the resource and user comes from the cache, whatever their case")
  func cached() async throws {
    let mail = try group.adal("mail")
    try await mail.signIn(TestUser.anna.adalResponse())
    for (resource, user) in [(SharedGroup.graph, nil), ("HTTPS://Graph.windows.net", " Anna@Contoso.com ")] {
      let result = try await mail.acquireTokenSilent(resource: resource, userID: user)
      #expect(result.accessToken == "at-1" && result.source == .cache)
      #expect(result.user?.userID == "anna@contoso.com")
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("A token for another resource is refreshed with the resource parameter")
  func refresh() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse())
    await group.endpoint.response(TestUser.anna.adalResponse(2, resource: Self.outlook))
    let result = try await mail.acquireTokenSilent(resource: Self.outlook)
    #expect(result.accessToken == "at-2" && result.source == .refresh && result.resource == Self.outlook)
    let request = try #require(await group.endpoint.requests.first)
    #expect(request.refreshToken == "rt-1" && request.resource == Self.outlook)
    #expect(request.form.contains { $0 == (name: "resource", value: Self.outlook) })
    #expect(request.form.contains { $0 == (name: "scope", value: "openid") })
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-2"])
    #expect(try await group.legacyItems(.accessToken).count == 2)
  }

  @Test("A token within five minutes of its expiry is refreshed")
  func expired() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse())
    group.clock.advance(by: 3301)
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    #expect(try await mail.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    #expect(try await group.legacyItems(.accessToken).count == 1)
  }

  @Test(
    "An odd lifetime in a response is clamped, and a warning names it",
    arguments: [(-5, 0), (2_145_916_800, 315_360_000)])
  func oddLifetime(sent: Int, kept: Double) async throws {
    let log = CapturedLog()
    let mail = try group.adal("mail", .ownFormat) { $0.logger = log.logger }
    let odd: JSONObject = ["expires_in": .init(integerLiteral: sent), "expires_on": .null]
    try await mail.signIn(TestUser.anna.adalResponse(changing: odd))
    await group.endpoint.response(TestUser.anna.adalResponse(2, resource: Self.outlook, changing: odd))
    #expect(try await mail.acquireTokenSilent(resource: Self.outlook).accessToken == "at-2")
    let expiries = try await group.legacyItems(.accessToken).map(\.expiresOn)
    #expect(expiries == Array(repeating: group.clock.now().addingTimeInterval(kept), count: 2))
    #expect(
      log.lines.filter { $0.level == .warning }.map { $0.facts["members"] } == ["expires_in", "expires_in"])
  }

  @Test("AD FS's refresh token is redeemed for its own resource and for no other")
  func singleResource() async throws {
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    let changes: JSONObject = ["resource": .null, "client_info": .null]
    try await adfs.signIn(TestUser.anna.adalResponse(changing: changes))
    #expect(
      try await code { _ = try await adfs.acquireTokenSilent(resource: Self.outlook) } == .interactionRequired
    )
    group.clock.advance(by: 3600)
    await group.endpoint.response(TestUser.anna.adalResponse(2, changing: changes))
    #expect(try await adfs.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
  }

  @Test(
    "A refresh token is found under the authority's tenant, then under common, and never for consumers",
    arguments: [
      ("contoso.com", "contoso-rt"), ("fabrikam.com", "common-rt"), ("common", "common-rt"),
      ("organizations", "common-rt"), ("consumers", nil),
    ])
  func tenants(tenant: String, expected: String?) async throws {
    try await group.store(TestUser.anna.legacyRefreshToken("common-rt"))
    try await group.store(
      TestUser.anna.legacyRefreshToken("contoso-rt", authority: "https://login.windows.net/contoso.com"))
    let mail = try group.adal("mail", .ownFormat, authority: "https://login.microsoftonline.com/\(tenant)")
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    let code = try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
    #expect(code == (expected == nil ? .interactionRequired : nil))
    #expect(await group.endpoint.requests.first?.refreshToken == expected)
  }

  @Test("Items are found under any host of their cloud, and not under another cloud's")
  func clouds() async throws {
    try await group.store(
      TestUser.anna.legacyRefreshToken("rt", authority: "https://login.microsoftonline.com/common"))
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    let same = try group.adal("mail", .ownFormat, authority: "https://sts.windows.net/common")
    #expect(try await same.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    let other = try group.adal("other", .ownFormat, authority: "https://login.microsoftonline.us/common")
    #expect(
      try await code { _ = try await other.acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
  }

  @Test("Several users without a user ID are ambiguous; each is found by its ID")
  func severalUsers() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse(1))
    try await mail.signIn(TestUser.boris.adalResponse(2))
    #expect(try await mail.users().map(\.userID) == ["anna@contoso.com", "boris@contoso.com"])
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
        == .ambiguousAccount)
    #expect(
      try await mail.acquireTokenSilent(resource: SharedGroup.graph, userID: "boris@contoso.com").accessToken
        == "at-2")
    #expect(
      try await code {
        _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph, userID: "eve@contoso.com")
      }
        == .interactionRequired)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph, userID: " ") }
        == .invalidArgument)
  }

  @Test(
    "A response for another user is discarded, also with an ID token for another client",
    arguments: [nil, "else"])
  func mismatch(audience: String?) async throws {
    let mail = try group.adal("mail")
    try await mail.signIn(TestUser.anna.adalResponse())
    let before = try await group.stored()
    var response = TestUser.boris.adalResponse(2, resource: Self.outlook, hasClientInfo: audience == nil)
    if let audience {
      let claims: JSONObject = ["upn": .string(TestUser.boris.username), "aud": .string(audience)]
      response["id_token"] = .string(JSONValue.object(claims).idToken)
    }
    await group.endpoint.response(response)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .accountMismatch)
    #expect(try await group.stored() == before)
  }

  @Test(
    "A refresh token that the server refuses becomes a tombstone, unless it concerns one resource",
    arguments: [
      ("invalid_grant", nil, .interactionRequired, true),
      ("invalid_grant", "bad_token", .interactionRequired, true),
      ("invalid_grant", "consent_required", .interactionRequired, false),
      ("invalid_grant", "protection_policy_required", .protectionPolicyRequired, false),
      ("unauthorized_client", "protection_policy_required", .protectionPolicyRequired, false),
      ("invalid_grant", "basic_action", .interactionRequired, false),
      ("invalid_grant", "additional_action", .interactionRequired, false),
      ("invalid_grant", "message_only", .interactionRequired, false),
      ("interaction_required", nil, .interactionRequired, false),
    ] as [(String, String?, SecretStoreError.Code, Bool)])
  func refused(
    error: String, suberror: String?, expected: SecretStoreError.Code, isGone: Bool
  ) async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse())
    var response: JSONObject = ["error": .string(error)]
    response["suberror"] = suberror.map(JSONValue.string)
    await group.endpoint.response(response, status: 400)
    #expect(try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == expected)
    #expect(try await group.legacyItems(.multiResourceRefreshToken).isEmpty == isGone)
    #expect(try await mail.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-1")
  }

  @Test("A newer refresh token remains if the sent one is refused")
  func comparedBeforeDeleted() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse(1))
    for _ in 1...2 { await group.endpoint.response(["error": "invalid_grant"], status: 400) }
    await group.endpoint.beforeResponding { [endpoint = group.endpoint] in
      try await mail.signIn(TestUser.anna.adalResponse(await endpoint.sent.count + 1))
    }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .interactionRequired
    )
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-3"])
  }

  @Test("If the client's refresh token is refused, the family's is sent, and then MSAL's")
  func fallBack() async throws {
    try await group.app("other").signIn(TestUser.anna.response(9))
    try await group.store(TestUser.anna.legacyRefreshToken("own"))
    try await group.store(TestUser.anna.legacyRefreshToken("family's", client: "foci-1"))
    for _ in 0..<2 { await group.endpoint.response(["error": "invalid_grant"], status: 400) }
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    #expect(
      try await group.adal("mail").acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["own", "family's", "rt-9"])
  }

  @Test("The result of MSAL's refresh token is stored in both formats")
  func bridged() async throws {
    try await group.app("calendar").signIn(TestUser.anna.response(1))
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    #expect(
      try await group.adal("mail").acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
    let old = try group.adal("old", .ownFormat)
    #expect(try await old.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-2"])
  }

  @Test("Concurrent calls redeem the refresh token once")
  func singleFlight() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse())
    await group.endpoint.response(TestUser.anna.adalResponse(2, resource: Self.outlook))
    let tokens = try await withThrowingTaskGroup { tasks in
      for _ in 0..<8 {
        tasks.addTask { try await mail.acquireTokenSilent(resource: Self.outlook).accessToken }
      }
      return try await tasks.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens == ["at-2"])
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("A response that arrives after the app's sign-out is discarded")
  func signedOutMeanwhile() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse())
    await group.endpoint.response(TestUser.anna.adalResponse(2, resource: Self.outlook))
    await group.endpoint.beforeResponding { try await mail.signOut(userID: "anna@contoso.com") }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .interactionRequired
    )
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
  }

  @Test("A token that cannot be stored is returned with the error beside it")
  func saveError() async throws {
    try await group.adal("mail", .ownFormat).signIn(TestUser.anna.adalResponse())
    let failing = FailingBackend(
      inner: group.backend, writeError: SecretStoreError(.storageFailed, "The disk is full."))
    await group.endpoint.response(TestUser.anna.adalResponse(2, resource: Self.outlook))
    let result = try await group.adal("mail", .ownFormat, through: failing).acquireTokenSilent(
      resource: Self.outlook)
    #expect(result.accessToken == "at-2" && result.saveError?.code == .storageFailed)
  }

  @Test("A locked group throws groupLocked and never interactionRequired")
  func locked() async throws {
    let locked = FailingBackend(
      inner: group.backend, readError: SecretStoreError(.groupLocked, "The group is locked."))
    let mail = try group.adal("mail", through: locked)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) } == .groupLocked)
    #expect(try await code { _ = try await mail.users() } == .groupLocked)
  }

  @Test("A tombstone is no user's token, whoever wrote it")
  func tombstones() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken("<tombstone>"))
    #expect(try await group.adal("mail").users().isEmpty)
    #expect(try await group.app("calendar").accounts().isEmpty)
    #expect(
      try await code { _ = try await group.adal("mail").acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("ADAL redeems the refresh token of MSAL's account that has the requested name")
  func namedAccountOfMSAL() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.anna.response(1))
    try await mail.signIn(TestUser.boris.response(2))
    await group.endpoint.response(TestUser.boris.adalResponse(3))
    let result = try await group.adal("old").acquireTokenSilent(
      resource: SharedGroup.graph, userID: "Boris@contoso.com")
    #expect(result.accessToken == "at-3")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-2"])
  }
}
