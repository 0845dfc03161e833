// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Token cache: saving a response")
struct TokenCacheSaveTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  @Test("The account that signed in is returned, listed and found")
  func account() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response())
    #expect(account.identifier == anna.identifier)
    #expect(account.username == "anna@contoso.com")
    #expect(account.environment == "login.microsoftonline.com")
    #expect(account.name == "A Person")
    #expect(account.clients == [SharedGroup.suite])
    #expect(account.tenants == [anna.utid])
    #expect(try await mail.accounts() == [account])
    #expect(try await mail.account(identifier: anna.identifier) == account)
    #expect(try await mail.account(username: "anna@contoso.com") == account)
  }

  @Test(
    "An account has one environment at all hosts of its cloud",
    arguments: ["login.windows.net", "login.microsoftonline.com", "login.microsoft.com", "sts.windows.net"])
  func environment(host: String) async throws {
    let mail = try group.app("mail")
    let account = try await mail.save(
      TokenResponse(members: anna.response()), scopes: ["mail.read"],
      authority: Authority("https://\(host)/common"))
    #expect(account.environment == "login.microsoftonline.com")
  }

  @Test("One record holds tokens, account, metadata and the app's sign-in state")
  func oneRecord() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(anna.response())
    #expect(try await group.stored().keys.map(\.self) == [SharedGroup.key()])
    let document = try #require(try await group.document())
    #expect(document.secrets(.accessToken) == ["at-1"])
    #expect(document.secrets(.refreshToken) == ["rt-1"])
    #expect(document.secrets(.idToken) == [anna.idToken])
    #expect(document.accounts.count == 1)
    #expect(document.appMetadata.map(\.clientID) == [SharedGroup.suite])
    #expect(document.metadata[try SharedGroup.id("mail")] == .signedIn)
    #expect(document.metadata.revision == 1)
    #expect(document.metadata.record == SharedGroup.key())
  }

  @Test(
    "An entry missing from the response is not saved, and all others are",
    arguments: ["access_token", "refresh_token", "id_token"])
  func lacking(member: String) async throws {
    try await group.app("mail").signIn(anna.response(1, changing: [member: .null]))
    let document = try #require(try await group.document())
    let kinds: [(String, CredentialKind)] = [
      ("access_token", .accessToken), ("refresh_token", .refreshToken), ("id_token", .idToken),
    ]
    for (name, kind) in kinds { #expect(document.secrets(kind).count == (name == member ? 0 : 1)) }
    #expect(document.accounts.count == 1)
    #expect(document.appMetadata.count == 1)
  }

  @Test("A second sign-in replaces the tokens and keeps the other apps' states")
  func again() async throws {
    let mail = try group.app("mail")
    let calendar = try group.app("calendar")
    try await mail.signIn(anna.response(1))
    try await calendar.signIn(anna.response(2))
    let document = try #require(try await group.document())
    #expect(document.secrets(.accessToken) == ["at-2"])
    #expect(document.secrets(.refreshToken) == ["rt-2"])
    #expect(document.metadata[try SharedGroup.id("mail")] == .signedIn)
    #expect(document.metadata[try SharedGroup.id("calendar")] == .signedIn)
    #expect(document.metadata.revision == 2)
  }

  @Test("Outside Azure AD a digest names the record, and sub identifies the account")
  func openID() async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com/realms/staff")
    let account = try await mail.signIn(anna.openIDResponse())
    #expect(account.identifier == "anna@contoso.com")
    #expect(account.tenants == ["realms/staff"])
    let keys = try await group.stored().keys
    #expect(keys.count == 1)
    #expect(keys.first?.environment == "https://id.contoso.com/realms/staff")
    #expect(keys.first?.account == RecordKey.storedAccount("anna@contoso.com"))
    #expect(keys.allSatisfy { !"\($0)".contains("anna") })
  }

  @Test("A response from another authority than the cache's is saved under that authority")
  func otherAuthority() async throws {
    let mail = try group.app("mail")
    let response = try TokenResponse(members: anna.openIDResponse())
    let account = try await mail.save(
      response, scopes: ["mail.read"], authority: Authority("https://id.contoso.com"))
    #expect(account.environment == "https://id.contoso.com")
  }

  @Test(
    "A response without an account throws missingClientInfo or invalidResponse, and the stored record remains"
  )
  func withoutAccount() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(anna.response())
    let before = try await group.stored()
    await #expect(throws: SecretStoreError(.missingClientInfo, "")) {
      try await mail.signIn(anna.response(2, family: "1", changing: ["client_info": .null]))
    }
    let elsewhere = try group.app("mail", authority: "https://id.contoso.com")
    await #expect(throws: SecretStoreError(.invalidResponse, "")) {
      try await elsewhere.signIn(anna.openIDResponse().changed(by: ["id_token": .null]))
    }
    #expect(try await group.stored() == before)
  }

  @Test(
    "Another program's content in the record's place throws corruptItem and remains",
    arguments: [
      "hunter2", "[]", "{}", #"{"AccessToken":[]}"#, #"{"SecretStoreCache":{"record":{"kind":"family"}}}"#,
    ])
  func otherProgram(content: String) async throws {
    let mail = try group.app("mail")
    await group.backend.storeRaw(Array(content.utf8), for: SharedGroup.key())
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await mail.signIn(anna.response()) }
    let record = Record(key: SharedGroup.key(), bytes: Array(content.utf8))
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await group.backend.record(for: record.key)?.document()
    }
    #expect(try await mail.signIn(TestUser.boris.response()).username == "boris@contoso.com")
  }

  @Test("An error of the back end is thrown, and nothing is stored")
  func failure() async throws {
    for code in [SecretStoreError.Code.groupLocked, .storageFailed, .timedOut] {
      let error = SecretStoreError(code, "No.")
      let backend = FailingBackend(inner: group.backend, writeError: error)
      let mail = try group.app("mail", through: backend)
      await #expect(throws: error) { try await mail.signIn(anna.response()) }
    }
    #expect(try await group.stored().isEmpty)
  }

  @Test("A token one byte below 1 MB is saved and returned")
  func largeToken() async throws {
    let token = String(repeating: "a", count: TokenResponse.maximumTokenBytes)
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(changing: ["access_token": .string(token)]))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == token)
  }
}
