// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@testable import KeychainItems
@testable import UnifiedCache

@Suite("Tokens on behalf of users")
struct OnBehalfOfTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func save(_ number: Int, for assertion: String, scopes: Scopes = ["mail.read"]) async throws {
    let response = try TokenResponse(members: anna.response(number, scope: scopes.target))
    try await group.app("mail").save(response, scopes: scopes, onBehalfOf: assertion)
  }

  private func token(_ assertion: String, scopes: Scopes = ["mail.read"]) async throws -> String? {
    try await group.app("mail").token(scopes: scopes, onBehalfOf: assertion)?.secret
  }

  @Test("Each assertion has its own, which no other assertion gets")
  func apart() async throws {
    try await save(1, for: "first")
    try await save(2, for: "second")
    try await save(3, for: "first", scopes: ["files.read"])
    #expect(try await token("first") == "at-1")
    #expect(try await token("second") == "at-2")
    #expect(try await token("first", scopes: ["files.read"]) == "at-3")
    #expect(try await token("third") == nil)
    try await save(4, for: "first")
    #expect(try await token("first") == "at-4")
    #expect(try await token("second") == "at-2")
    group.clock.advance(by: 3300)
    #expect(try await token("first") == nil)
  }

  @Test(
    "One is found at an authority that names the tenant by a domain, and by scopes with those of a sign-in",
    arguments: ["https://login.microsoftonline.com/contoso.com", SharedGroup.azure])
  func found(authority: String) async throws {
    let service = try group.app("mail", authority: authority)
    let response = try TokenResponse(members: anna.response(1, scope: "mail.read"))
    let scopes: Scopes = ["mail.read", "offline_access"]
    try await service.save(response, scopes: scopes, onBehalfOf: "first")
    #expect(try await service.token(scopes: scopes, onBehalfOf: "first")?.secret == "at-1")
    #expect(try await service.token(scopes: ["mail.read"], onBehalfOf: "first")?.secret == "at-1")
  }

  @Test("The hash is the SHA-256 in base64url, as MSAL.NET stores it, and only the access token is kept")
  func hash() async throws {
    try await save(1, for: "abc")
    let credentials = try #require(try await group.document()).credentials
    #expect(credentials.map(\.secret) == ["at-1"])
    #expect(credentials.map(\.userAssertionHash) == ["ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"])
  }

  @Test("They sign nobody in, and no user's call gets them")
  func noSignIn() async throws {
    try await save(1, for: "first")
    let mail = try group.app("mail")
    #expect(try await mail.accounts().isEmpty)
    let account = Account(
      identifier: anna.identifier, username: anna.username, environment: "login.windows.net")
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    try await mail.signIn(anna.response(2))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(try await token("first") == "at-1")
  }

  @Test("A call of a signed-in user gets none of them, newer ones of the same scopes and of others included")
  func besideSignIn() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    group.clock.advance(by: 10)
    try await save(2, for: "first")
    try await save(3, for: "first", scopes: ["files.read"])
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
    await group.endpoint.response(anna.response(4, scope: "files.read"))
    #expect(try await mail.acquireTokenSilent(scopes: ["files.read"], account: account).accessToken == "at-4")
  }

  @Test("They bring no signed-out account back")
  func signedOut() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response(1))
    try await mail.signOut(account)
    try await save(2, for: "first")
    #expect(try await calendar.accounts().isEmpty)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("Old assertions' tokens do not pile up")
  func expired() async throws {
    for number in 1...10 {
      try await save(number, for: "assertion \(number)")
      group.clock.advance(by: 4000)
    }
    let stored = try #require(try await group.document())
    #expect(stored.credentials.count < 3)
  }

  @Test("A person can sign them out")
  func removed() async throws {
    try await save(1, for: "first")
    let directory = AccountDirectory(backend: group.backend)
    let account = try #require(try await directory.accounts().first)
    #expect(account.username == anna.username)
    try await directory.signOut(account)
    #expect(try await token("first") == nil)
  }

  @Test("The credentials of two assertions are two, of each kind: in a document, a keychain and an import")
  func identity() async throws {
    let kinds = CredentialKind.allCases
    let view = try group.view()
    var document = CacheDocument()
    var entries: [CredentialEntry] = []
    for kind in kinds {
      for hash in ["h1", "h2", nil] {
        let entry = try KeychainViewSample.credential(
          kind, kind.section == .idToken ? anna.idToken : "\(kind) \(hash ?? "")", of: .anna,
          ["user_assertion_hash": hash.map(JSONValue.string) ?? .null])
        document.put(entry)
        entries.append(entry)
        try await view.save(entry)
      }
    }
    #expect(document.credentials.count == entries.count)
    #expect(Set(entries.map { KeychainItemKey(of: $0) }).count == entries.count)
    for entry in entries { #expect(try await view.credential(for: KeychainItemKey(of: entry)) == entry) }
    let first = try #require(entries.first)
    #expect(try await view.removeCredential(KeychainItemKey(of: first)))
    #expect(try await view.credentials(matching: .items()).count == entries.count - 1)
    let transfer = CacheTransfer(backend: InMemoryBackend(), clock: group.clock)
    _ = try await transfer.importUnified(document.serialized())
    let exported = try CacheDocument(parsing: try await transfer.exportUnified().json)
    #expect(Set(exported.credentials) == Set(entries))
  }

  @Test("A credential that is saved by itself signs nobody in if it is on behalf of a user")
  func savedCredential() async throws {
    try await save(1, for: "first")
    let mail = try SharedGroup().app("mail")
    for credential in try #require(try await group.document()).credentials {
      try await mail.save(credential)
    }
    let account = Account(
      identifier: anna.identifier, username: anna.username, environment: "login.windows.net")
    #expect(try await mail.signInState(of: account) == nil)
  }
}
