// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("ADAL's caches come into a group and go out")
struct ADALExchangeTests {
  private let group = SharedGroup()
  private var exchange: ADALExchange { ADALExchange(backend: group.backend) }

  private func token(_ secret: String = "rt", age: TimeInterval = 0, of person: Person = .anna) -> ADALToken {
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
    return try await exchange.importFile(ADALFile(tokens: tokens), options: options)
  }

  @Test("Every item becomes a record; a second run changes nothing")
  func twice() async throws {
    let tokens = [token(), token(of: .boris)]
    #expect(try await take(tokens[0], tokens[1]).added == 2)
    let before = try await group.stored()
    #expect(try await take(tokens[0], tokens[1]).unchanged == 2)
    #expect(try await group.stored() == before)
    #expect(try await Set(group.legacyItems()) == Set(tokens))
  }

  @Test("A dry run says the same and does nothing")
  func dryRun() async throws {
    try await take(token(age: 60))
    let before = try await group.stored()
    let summary = try await take(token("newer"), token(of: .boris)) { $0.isDryRun = true }
    #expect(summary.added == 1 && summary.updated == 1)
    #expect(try await group.stored() == before)
    #expect(try await take(token("newer"), token(of: .boris)) == summary)
  }

  @Test("A newer item takes an older one's place, and never the other way round")
  func newer() async throws {
    try await take(token("first", age: 60))
    #expect(try await take(token("newer")).updated == 1)
    #expect(try await take(token("older", age: 120)).unchanged == 1)
    var undated = token("undated")
    undated.cachedAt = nil
    #expect(try await take(undated).unchanged == 1)
    #expect(try await group.legacyItems().map(\.refreshToken) == ["newer"])
  }

  @Test("A signed-out user's item stays away, signed out in either format")
  func signedOut() async throws {
    try await group.adal("old").signIn(Person.anna.adalAnswer())
    try await group.adal("old").signOut(userID: "anna@contoso.com")
    #expect(try await take(token("young", age: -60)).signedOut == 1)

    let account = try await group.app("mail").signIn(Person.boris.answer(1))
    try await group.app("mail").signOut(account)
    var boris = token(of: .boris)
    boris.homeAccountID = Person.boris.identifier
    #expect(try await take(boris).signedOut == 1)
    #expect(try await group.app("mail").accounts().isEmpty)
  }

  @Test("A signed-out user stays away under another tenant, and without an identifier, too")
  func signedOutElsewhere() async throws {
    try await group.adal("old", .ownFormat).signIn(Person.anna.adalAnswer())
    try await group.adal("old", .ownFormat).signOut(userID: "anna@contoso.com")
    var other = token("young", age: -60)
    other.authority = "https://login.windows.net/contoso.com"
    #expect(try await take(other).signedOut == 1)
    let account = try await group.app("mail").signIn(Person.boris.answer(1))
    try await group.app("mail").signOut(account)
    #expect(try await take(token(of: .boris)).signedOut == 1)
    #expect(try await group.app("other").accounts().isEmpty)
  }

  @Test("A newer refresh token takes the place of one that the server refused")
  func afterRefusal() async throws {
    try await take(token("old", age: 60))
    await group.endpoint.answer(["error": "invalid_grant"], status: 400)
    _ = try? await group.adal("old", .ownFormat).acquireTokenSilent(resource: SharedGroup.graph)
    #expect(try await take(token("old", age: 60)).unchanged == 1)
    #expect(try await take(token("newer")).updated == 1)
    #expect(try await group.legacyItems().map(\.refreshToken) == ["newer"])
  }

  @Test("With replaces the group holds the file's items and no others, signed out or not")
  func replaces() async throws {
    try await take(token("newer"), token(of: .boris))
    try await group.app("mail").signOut(
      try #require(try await group.app("mail").account(username: "anna@contoso.com")))
    let summary = try await take(token("older", age: 60)) { $0.replaces = true }
    #expect(summary.updated == 1 && summary.removed == 1)
    #expect(try await group.legacyItems().map(\.refreshToken) == ["older"])
    #expect(try await group.app("mail").accounts().map(\.username) == ["anna@contoso.com"])
  }

  @Test("An imported sign-in is taken up by the first silent call, and its service's own tokens are nobody's")
  func takenUp() async throws {
    var service = ADALToken(
      authority: "https://login.windows.net/common", resource: SharedGroup.graph, clientID: SharedGroup.suite)
    service.accessToken = "service's"
    service.expiresOn = TestClock.start + 3600
    service.subject = .client
    try await take(service, token())
    let mail = try group.app("mail")
    await group.endpoint.answer(Person.anna.answer(2))
    let account = try #require(try await mail.account())
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    await group.endpoint.answer(Person.anna.adalAnswer(3))
    #expect(
      try await group.adal("old", .ownFormat).acquireTokenSilent(resource: SharedGroup.graph).accessToken
        == "at-3")
  }

  @Test(
    "What is exported is what ADAL has, without what was removed", arguments: [ADALFileFormat.python, .objc])
  func exported(format: ADALFileFormat) async throws {
    let old = try group.adal("old", .ownFormat)
    try await old.signIn(Person.anna.adalAnswer(1))
    try await old.signIn(Person.boris.adalAnswer(2))
    try await old.signOut(userID: "boris@contoso.com")
    let zone = try #require(TimeZone(secondsFromGMT: 0))
    let bytes = try await exchange.export().serialized(as: format, timeZone: zone).bytes
    let read = try ADALFile(parsing: bytes, as: format, timeZone: zone)
    #expect(Set(read.tokens.compactMap(\.userID)) == ["anna@contoso.com"])
    #expect(Set(read.tokens.compactMap(\.kind)) == [.accessToken, .multiResourceRefreshToken])
    let other = SharedGroup()
    _ = try await ADALExchange(backend: other.backend).importFile(read)
    #expect(
      try await other.adal("old", .ownFormat).acquireTokenSilent(resource: SharedGroup.graph).accessToken
        == "at-1")
  }

  @Test("An item that can't be read keeps the whole from being given out")
  func corrupt() async throws {
    try await take(token())
    await group.backend.plant(Array("{".utf8), for: RecordKey(kind: .legacy, key: "x"))
    let error = await #expect(throws: SecretStoreError.self) { try await exchange.export() }
    #expect(error?.code == .corruptItem)
  }
}
