// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("After a wipe, and before a sign-in")
struct AfterWipeTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  @Test("A single-account app sees that its account went with a wipe")
  func currentAfterWipe() async throws {
    let mail = try suite()
    try await mail.signIn(anna.answer(1))
    _ = try await mail.currentAccount()
    try await AccountDirectory(backend: group.backend).removeEverything(by: "x", clock: group.clock)
    let c = try await mail.currentAccount()
    #expect(c.hasChanged)
    #expect(c.previousIdentifier == anna.identifier)
  }

  @Test("A wipe takes what has no owner, too")
  func wipeLeftovers() async throws {
    let file =
      #"{"AccessToken":{"app":{"credential_type":"AccessToken","client_id":"c","environment":"login.windows.net","secret":"app-only-token","target":"x/.default","realm":"t","cached_at":"1700000000","expires_on":"1800000000"}},"Account":{"a":{"home_account_id":"u.t","environment":"login.windows.net","username":"anna@contoso.com","realm":"t"}}}"#
    let exchange = CacheExchange(backend: group.backend)
    _ = try await exchange.importUnified(Array(file.utf8))
    try await AccountDirectory(backend: group.backend).removeEverything(by: "x", clock: group.clock)
    let text = String(decoding: try await exchange.exportUnified().json, as: UTF8.self)
    #expect(!text.contains("app-only-token"))
    #expect(!text.contains("anna@contoso.com"))
  }

  @Test("It explains a missing token without an endpoint, too")
  func wipeNoticeOffline() async throws {
    let account = try await suite().signIn(anna.answer(1))
    try await AccountDirectory(backend: group.backend).removeEverything(
      by: "com.contoso.calendar", clock: group.clock)
    let error = await #expect(throws: interaction) {
      try await group.app("mail", isOnline: false).acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.detail.contains("com.contoso.calendar") == true, "\(error?.detail ?? "")")
  }

  @Test("A refresh token that was saved by itself is not replaced by an older one's import")
  func importOlder() async throws {
    let mail = try suite()
    try await mail.signIn(anna.answer(1))
    group.clock.advance(by: 500)
    let other = SharedGroup()
    other.clock.advance(by: 500)
    try await other.app("mail").signIn(anna.answer(5))
    let file = try await CacheExchange(backend: other.backend).exportUnified().json
    group.clock.advance(by: 1000)
    try await mail.save(
      try CredentialEntry(fields: [
        "credential_type": "RefreshToken", "home_account_id": .string(anna.identifier),
        "environment": "login.windows.net", "client_id": .string(SharedGroup.suite), "secret": "rt-newest",
      ]))
    _ = try await CacheExchange(backend: group.backend).importUnified(file)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-newest"])
  }

  @Test("An account that only a credential tells of is listed")
  func saveAlone() async throws {
    let mail = try suite()
    try await mail.save(
      try CredentialEntry(fields: [
        "credential_type": "RefreshToken", "home_account_id": .string(anna.identifier),
        "environment": "login.windows.net", "client_id": .string(SharedGroup.suite), "secret": "rt-1",
      ]))
    #expect(try await mail.accounts().count == 1)
  }
}
