// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("ADAL's silent calls")
struct ADALSilentTests {
  private let group = SharedGroup()
  private static let outlook = "https://outlook.office.com"

  private func code(_ body: () async throws -> Void) async throws -> SecretStoreError.Code? {
    do {
      try await body()
      return nil
    } catch let error as SecretStoreError {
      return error.code
    }
  }

  @Test("An unexpired token of the resource and user comes from the cache, in any case")
  func cached() async throws {
    let mail = try group.adal("mail")
    try await mail.signIn(Person.anna.adalAnswer())
    for (resource, user) in [(SharedGroup.graph, nil), ("HTTPS://Graph.windows.net", " Anna@Contoso.com ")] {
      let result = try await mail.acquireTokenSilent(resource: resource, userID: user)
      #expect(result.accessToken == "at-1" && result.source == .cache)
      #expect(result.user?.userID == "anna@contoso.com")
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("Another resource's token is had by the refresh token, asked for by resource")
  func refresh() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer())
    await group.endpoint.answer(Person.anna.adalAnswer(2, resource: Self.outlook))
    let result = try await mail.acquireTokenSilent(resource: Self.outlook)
    #expect(result.accessToken == "at-2" && result.source == .refresh && result.resource == Self.outlook)
    let request = try #require(await group.endpoint.requests.first)
    #expect(request.refreshToken == "rt-1" && request.resource == Self.outlook)
    #expect(request.form.contains { $0 == (name: "resource", value: Self.outlook) })
    #expect(request.form.contains { $0 == (name: "scope", value: "openid") })
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-2"])
    #expect(try await group.legacyItems(.accessToken).count == 2)
  }

  @Test("A token within five minutes of its end is refreshed")
  func expired() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer())
    group.clock.advance(by: 3301)
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    #expect(try await mail.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    #expect(try await group.legacyItems(.accessToken).count == 1)
  }

  @Test("AD FS's refresh token is redeemed for its own resource and for no other")
  func singleResource() async throws {
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    let changes: JSONObject = ["resource": .null, "client_info": .null]
    try await adfs.signIn(Person.anna.adalAnswer(changing: changes))
    #expect(
      try await code { _ = try await adfs.acquireTokenSilent(resource: Self.outlook) } == .interactionRequired
    )
    group.clock.advance(by: 3600)
    await group.endpoint.answer(Person.anna.adalAnswer(2, changing: changes))
    #expect(try await adfs.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
  }

  @Test(
    "A refresh token is found under the authority's tenant, then under common's, and never for consumers",
    arguments: [
      ("contoso.com", "contoso-rt"), ("fabrikam.com", "common-rt"), ("common", "common-rt"),
      ("organizations", "common-rt"), ("consumers", nil),
    ])
  func tenants(tenant: String, expected: String?) async throws {
    try await group.plant(Person.anna.legacyRefreshToken("common-rt"))
    try await group.plant(
      Person.anna.legacyRefreshToken("contoso-rt", authority: "https://login.windows.net/contoso.com"))
    let mail = try group.adal("mail", .ownFormat, authority: "https://login.microsoftonline.com/\(tenant)")
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    let code = try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
    #expect(code == (expected == nil ? .interactionRequired : nil))
    #expect(await group.endpoint.requests.first?.refreshToken == expected)
  }

  @Test("A cloud's other hosts find its items; another cloud's don't")
  func clouds() async throws {
    try await group.plant(
      Person.anna.legacyRefreshToken("rt", authority: "https://login.microsoftonline.com/common"))
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    let same = try group.adal("mail", .ownFormat, authority: "https://sts.windows.net/common")
    #expect(try await same.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    let other = try group.adal("other", .ownFormat, authority: "https://login.microsoftonline.us/common")
    #expect(
      try await code { _ = try await other.acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
  }

  @Test("Several users without a user's id are ambiguous; each is found by the id")
  func severalUsers() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer(1))
    try await mail.signIn(Person.boris.adalAnswer(2))
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

  @Test("An answer for another user is dropped")
  func mismatch() async throws {
    let mail = try group.adal("mail")
    try await mail.signIn(Person.anna.adalAnswer())
    let before = try await group.stored()
    await group.endpoint.answer(Person.boris.adalAnswer(2, resource: Self.outlook))
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .accountMismatch)
    #expect(try await group.stored() == before)
  }

  @Test(
    "A refresh token that the server refuses is buried, unless consent is all that lacks",
    arguments: [
      ("invalid_grant", nil, true), ("invalid_grant", "bad_token", true),
      ("invalid_grant", "consent_required", false), ("interaction_required", nil, false),
    ] as [(String, String?, Bool)])
  func refused(error: String, suberror: String?, isGone: Bool) async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer())
    var answer: JSONObject = ["error": .string(error)]
    answer["suberror"] = suberror.map(JSONValue.string)
    await group.endpoint.answer(answer, status: 400)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .interactionRequired
    )
    #expect(try await group.legacyItems(.multiResourceRefreshToken).isEmpty == isGone)
    #expect(try await mail.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-1")
  }

  @Test("A newer refresh token stays when the one that was sent is refused")
  func comparedBeforeDeleted() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer(1))
    await group.endpoint.answer(["error": "invalid_grant"], status: 400)
    await group.endpoint.beforeAnswering { try await mail.signIn(Person.anna.adalAnswer(2)) }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .interactionRequired
    )
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-2"])
  }

  @Test("When the client's refresh token is refused the family's is tried, and then MSAL's")
  func fallBack() async throws {
    try await group.app("other").signIn(Person.anna.answer(9))
    try await group.plant(Person.anna.legacyRefreshToken("own"))
    try await group.plant(Person.anna.legacyRefreshToken("family's", client: "foci-1"))
    for _ in 0..<2 { await group.endpoint.answer(["error": "invalid_grant"], status: 400) }
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    #expect(
      try await group.adal("mail").acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["own", "family's", "rt-9"])
  }

  @Test("What MSAL's refresh token brought is kept in both formats, for an ADAL that knows its own only, too")
  func bridged() async throws {
    try await group.app("calendar").signIn(Person.anna.answer(1))
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    #expect(
      try await group.adal("mail").acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
    let old = try group.adal("old", .ownFormat)
    #expect(try await old.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-2"])
  }

  @Test("However many ask at once, one redeems the refresh token")
  func singleFlight() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer())
    await group.endpoint.answer(Person.anna.adalAnswer(2, resource: Self.outlook))
    let tokens = try await withThrowingTaskGroup { tasks in
      for _ in 0..<8 {
        tasks.addTask { try await mail.acquireTokenSilent(resource: Self.outlook).accessToken }
      }
      return try await tasks.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens == ["at-2"])
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("What comes after the app has signed out is dropped")
  func signedOutMeanwhile() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(Person.anna.adalAnswer())
    await group.endpoint.answer(Person.anna.adalAnswer(2, resource: Self.outlook))
    await group.endpoint.beforeAnswering { try await mail.signOut(userID: "anna@contoso.com") }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: Self.outlook) } == .interactionRequired
    )
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
  }

  @Test("A token that can't be stored is handed out all the same, and says why")
  func saveError() async throws {
    try await group.adal("mail", .ownFormat).signIn(Person.anna.adalAnswer())
    let failing = FailingBackend(
      inner: group.backend, writeError: SecretStoreError(.storageFailed, "The disk is full."))
    await group.endpoint.answer(Person.anna.adalAnswer(2, resource: Self.outlook))
    let result = try await group.adal("mail", .ownFormat, through: failing).acquireTokenSilent(
      resource: Self.outlook)
    #expect(result.accessToken == "at-2" && result.saveError?.code == .storageFailed)
  }

  @Test("A locked group is groupLocked, and never interactionRequired")
  func locked() async throws {
    let locked = FailingBackend(
      inner: group.backend, readError: SecretStoreError(.groupLocked, "The group is locked."))
    let mail = try group.adal("mail", through: locked)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) } == .groupLocked)
    #expect(try await code { _ = try await mail.users() } == .groupLocked)
  }

  @Test("A buried item is nobody's token, whoever buried it")
  func tombstones() async throws {
    try await group.plant(Person.anna.legacyRefreshToken("<tombstone>"))
    #expect(try await group.adal("mail").users().isEmpty)
    #expect(try await group.app("calendar").accounts().isEmpty)
    #expect(
      try await code { _ = try await group.adal("mail").acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.isEmpty)
  }
}
