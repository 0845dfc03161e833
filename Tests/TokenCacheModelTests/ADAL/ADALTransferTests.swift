// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("ADAL: import and export")
struct ADALTransferTests {
  private let group = SharedGroup()
  private var transfer: ADALTransfer { ADALTransfer(backend: group.backend) }

  private func token(_ secret: String = "rt", age: TimeInterval = 0, of person: TestUser = .anna) -> ADALToken
  {
    var token = person.legacyRefreshToken(secret)
    token.cachedAt = TestClock.start - age
    return token
  }

  @discardableResult
  private func take(
    _ tokens: ADALToken..., change: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> ImportSummary {
    var options = ImportOptions()
    change(&options)
    return try await transfer.importFile(ADALFile(tokens: tokens), options: options)
  }

  @Test("Each item becomes a record; a second import changes nothing")
  func twice() async throws {
    let tokens = [token(), token(of: .boris)]
    #expect(try await take(tokens[0], tokens[1]).added == 2)
    let before = try await group.stored()
    #expect(try await take(tokens[0], tokens[1]).unchanged == 2)
    #expect(try await group.stored() == before)
    #expect(try await Set(group.legacyItems()) == Set(tokens))
  }

  @Test("An item that is too large for a record is named, and the others are imported")
  func oversized() async throws {
    var large = token(of: .boris)
    large.homeAccountID = TestUser.boris.identifier
    large.fields["x"] = .string(String(repeating: "x", count: CacheDocument.maximumBytes))
    let summary = try await take(token(), large)
    #expect(summary.added == 1 && summary.oversized.map(\.homeAccountID) == [TestUser.boris.identifier])
    #expect(try await group.legacyItems().count == 1)
    var options = ImportOptions()
    options.replaces = true
    let (asked, file) = (options, ADALFile(tokens: [large]))
    await #expect(throws: SecretStoreError(.invalidFile, "")) {
      try await transfer.importFile(file, options: asked)
    }
    #expect(try await group.legacyItems().count == 1)
  }

  @Test("A sign-out keeps no member of an item that it doesn't know")
  func tombstone() async throws {
    var item = token()
    item.fields["a_later_token"] = "secret"
    item.fields["user_id_displayable"] = true
    item.fields["identity_provider"] = ["secret"]
    try await take(item)
    try await group.signOutEverywhere()
    let left = try #require(
      try await group.backend.records(matching: .all(.legacy)).first?.document().adalToken)
    #expect(left.userID == TestUser.anna.username && left.refreshToken == ADALToken.tombstone)
    #expect(!String(decoding: left.fields.bytes, as: UTF8.self).contains("secret"))
  }

  @Test("A dry run reports the same and writes nothing")
  func dryRun() async throws {
    try await take(token(age: 60))
    let before = try await group.stored()
    let summary = try await take(token("newer"), token(of: .boris)) { $0.isDryRun = true }
    #expect(summary.added == 1 && summary.updated == 1)
    #expect(try await group.stored() == before)
    #expect(try await take(token("newer"), token(of: .boris)) == summary)
  }

  @Test("A newer item replaces an older one, and never the reverse")
  func newer() async throws {
    try await take(token("first", age: 60))
    #expect(try await take(token("newer")).updated == 1)
    #expect(try await take(token("older", age: 120)).unchanged == 1)
    var undated = token("undated")
    undated.cachedAt = nil
    #expect(try await take(undated).unchanged == 1)
    #expect(try await group.legacyItems().map(\.refreshToken) == ["newer"])
  }

  @Test("An import omits the items of a signed-out user, signed out in either format")
  func signedOut() async throws {
    try await group.adal("old").signIn(TestUser.anna.adalResponse())
    try await group.adal("old").signOut(userID: "anna@contoso.com")
    #expect(try await take(token("young", age: -60)).signedOut == 1)

    let account = try await group.app("mail").signIn(TestUser.boris.response(1))
    try await group.app("mail").signOut(account)
    var boris = token(of: .boris)
    boris.homeAccountID = TestUser.boris.identifier
    #expect(try await take(boris).signedOut == 1)
    #expect(try await group.app("mail").accounts().isEmpty)
  }

  @Test("An import omits a signed-out user under another tenant, also without an identifier")
  func signedOutElsewhere() async throws {
    try await group.adal("old", .ownFormat).signIn(TestUser.anna.adalResponse())
    try await group.adal("old", .ownFormat).signOut(userID: "anna@contoso.com")
    var other = token("young", age: -60)
    other.authority = "https://login.windows.net/contoso.com"
    #expect(try await take(other).signedOut == 1)
    let account = try await group.app("mail").signIn(TestUser.boris.response(1))
    try await group.app("mail").signOut(account)
    #expect(try await take(token(of: .boris)).signedOut == 1)
    #expect(try await group.app("other").accounts().isEmpty)
  }

  @Test("A newer refresh token replaces one that the server refused")
  func afterRefusal() async throws {
    try await take(token("old", age: 60))
    await group.endpoint.response(["error": "invalid_grant"], status: 400)
    _ = try? await group.adal("old", .ownFormat).acquireTokenSilent(resource: SharedGroup.graph)
    #expect(try await take(token("old", age: 60)).unchanged == 1)
    #expect(try await take(token("newer")).updated == 1)
    #expect(try await group.legacyItems().map(\.refreshToken) == ["newer"])
  }

  @Test("With replaces the group holds the file's items only, signed out or not")
  func replaces() async throws {
    try await take(token("newer"), token(of: .boris))
    try await group.app("mail").signOut(
      try #require(try await group.app("mail").account(username: "anna@contoso.com")))
    let summary = try await take(token("older", age: 60)) { $0.replaces = true }
    #expect(summary.updated == 1 && summary.removed == 1)
    #expect(try await group.legacyItems().filter { $0.kind != nil }.map(\.refreshToken) == ["older"])
    #expect(try await group.app("mail").accounts().map(\.username) == ["anna@contoso.com"])
  }

  @Test("An import omits invalid items; a file with only invalid items replaces nothing")
  func leftOut() async throws {
    let service: JSONValue = ["servicePrincipalId": "s"]
    let file = try ADALSamples.python(ADALSamples.response(), service)
    let nothing = try ADALSamples.python(service)
    for (replaces, added) in [(false, 2), (true, 0)] {
      var options = ImportOptions()
      options.replaces = replaces
      let summary = try await transfer.importFile(file, options: options)
      #expect(summary.added == added && summary.unreadable == 1)
    }
    let before = try await group.stored()
    #expect(try await transfer.importFile(nothing).unreadable == 1)
    await #expect(throws: SecretStoreError(.invalidFile, "")) {
      var options = ImportOptions()
      options.replaces = true
      return try await transfer.importFile(nothing, options: options)
    }
    #expect(try await group.stored() == before)
    #expect(try await take { $0.replaces = true }.removed == 2)
  }

  @Test("The first silent call reuses an imported sign-in; a service's own tokens belong to no user")
  func reusesSignIn() async throws {
    var service = ADALToken(
      authority: "https://login.windows.net/common", resource: SharedGroup.graph, clientID: SharedGroup.suite)
    service.accessToken = "service's"
    service.expiresOn = TestClock.start + 3600
    service.subject = .client
    #expect(try await take(service, token()).added == 2)
    let mail = try group.app("mail")
    await group.endpoint.response(TestUser.anna.response(2))
    let account = try #require(try await mail.account())
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    await group.endpoint.response(TestUser.anna.adalResponse(3))
    #expect(
      try await group.adal("old", .ownFormat).acquireTokenSilent(resource: SharedGroup.graph).accessToken
        == "at-3")
  }

  @Test("An export holds ADAL's items without tombstones", arguments: [ADALFileFormat.python, .objc])
  func exported(format: ADALFileFormat) async throws {
    let old = try group.adal("old", .ownFormat)
    try await old.signIn(TestUser.anna.adalResponse(1))
    try await old.signIn(TestUser.boris.adalResponse(2))
    try await old.signOut(userID: "boris@contoso.com")
    let zone = try #require(TimeZone(secondsFromGMT: 0))
    let bytes = try await transfer.export().serialized(as: format, timeZone: zone).bytes
    let read = try ADALFile(parsing: bytes, as: format, timeZone: zone)
    #expect(Set(read.tokens.compactMap(\.userID)) == ["anna@contoso.com"])
    #expect(Set(read.tokens.compactMap(\.kind)) == [.accessToken, .multiResourceRefreshToken])
    let other = SharedGroup()
    _ = try await ADALTransfer(backend: other.backend).importFile(read)
    #expect(
      try await other.adal("old", .ownFormat).acquireTokenSilent(resource: SharedGroup.graph).accessToken
        == "at-1")
  }

  @Test("An export omits and names an unreadable item")
  func corrupt() async throws {
    try await take(token())
    await group.backend.storeRaw(Array("{".utf8), for: RecordKey(kind: .legacy, key: "x"))
    let file = try await transfer.export()
    #expect(file.tokens.count == 1 && file.damaged.map(\.key.key) == ["x"])
  }

  @Test("A user who signed in again after a sign-out gets a newer item")
  func signedInAgain() async throws {
    try await take(token("first", age: 60))
    try await group.signOutEverywhere()
    #expect(try await take(token("back", age: 20)).signedOut == 1)
    try await group.store(token("second", age: 30))
    #expect(try await take(token("third")).updated == 1)
    #expect(try await group.legacyItems().map(\.refreshToken) == ["third"])
  }

  @Test(
    "Undated items are compared by expiry, and an undated one with a dated one by the estimated time of issue"
  )
  func undatedItems() {
    func item(cached: TimeInterval?, expires: TimeInterval) -> ADALToken {
      var token = TestUser.anna.legacyRefreshToken()
      token.cachedAt = cached.map { TestClock.start + $0 }
      token.expiresOn = TestClock.start + expires
      return token
    }
    let freshness = Freshness(now: TestClock.start)
    let (early, late) = (item(cached: nil, expires: 7200), item(cached: nil, expires: 10_800))
    #expect(freshness.isNewer(late, than: early) && !freshness.isNewer(early, than: late))
    let (dated, fresh) = (item(cached: -10, expires: 5000), item(cached: nil, expires: 4000))
    #expect(freshness.isNewer(fresh, than: dated) && !freshness.isNewer(dated, than: fresh))
  }
}
