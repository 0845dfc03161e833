// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Joining and leaving a family")
struct FamilyMembershipTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  private func office(_ app: String = "word") throws -> TokenCache {
    try group.app(app, client: SharedGroup.office)
  }

  /// Adds the office client to the family, so that it may redeem the family's tokens beside its own.
  private func makeMember(_ person: TestUser = .anna) async throws {
    try await group.backend.update(SharedGroup.key(of: person, client: SharedGroup.office)) { stored in
      stored?.put(
        AppMetadataEntry(clientID: SharedGroup.office, environment: "login.windows.net", familyID: "1"))
    }
  }

  @Test("A client that joins a family with an older token keeps the new one")
  func joinExistingFamily() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    try await office().signIn(anna.response(9))
    await group.endpoint.response(anna.response(10, family: "1"))
    _ = try await refresh(office(), account)
    let kept =
      (try await group.familyDocument()?.secrets(.refreshToken) ?? [])
      + (try await group.document(client: SharedGroup.office)?.secrets(.refreshToken) ?? [])
    #expect(kept.contains("rt-10"), "kept: \(kept)")
  }

  @Test(
    "Outside Azure AD the new refresh token is the client's own, whatever family the response names",
    arguments: [
      "https://id.contoso.com", "https://adfs.contoso.com/adfs",
      "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin",
    ])
  func noFamilies(authority: String) async throws {
    let person = TestUser(uid: "\(anna.uid)-b2c_1_signin", utid: anna.utid, username: anna.username)
    func response(_ number: Int) -> JSONObject {
      authority.contains("b2clogin")
        ? person.response(number, family: "1") : anna.openIDResponse(number, family: "1")
    }
    let suite = try group.app("mail", authority: authority)
    let account = try await suite.signIn(response(1))
    for number in 2...3 {
      await group.endpoint.response(response(number))
      #expect(try await refresh(suite, account).accessToken == "at-\(number)")
    }
    #expect(await group.endpoint.sent == ["rt-1", "rt-2"])
    #expect(try await group.backend.records(matching: .all(.family)).isEmpty)
    #expect(try await office().accounts().isEmpty)
  }

  @Test("An account at an OpenID provider doesn't tell the family of its client", arguments: ["7", nil])
  func familyOfAnotherProvider(family: String?) async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    let elsewhere = try group.app("word", client: SharedGroup.office, authority: "https://id.contoso.com")
    try await elsewhere.signIn(TestUser.boris.openIDResponse(9))
    let records = try await group.backend.records(matching: .credentials(ofClient: SharedGroup.office))
    for record in records {
      try await group.backend.update(record.key) { stored in
        stored?.put(
          AppMetadataEntry(
            clientID: SharedGroup.office, environment: "https://id.contoso.com", familyID: family))
      }
    }
    #expect(try await office().accounts().map(\.identifier).contains(account.identifier))
    await group.endpoint.response(anna.response(2, family: "1"))
    #expect(try await refresh(office(), account).accessToken == "at-2")
  }

  @Test("If the family's token brought the client's own, that one is stored")
  func fallbackWithoutFoci() async throws {
    let account = try await office().signIn(anna.response(9))
    try await suite().signIn(anna.response(1, family: "1"))
    try await makeMember()
    await group.endpoint.refuse()
    await group.endpoint.response(anna.response(10))
    _ = try await refresh(office(), account)
    let kept =
      (try await group.familyDocument()?.secrets(.refreshToken) ?? [])
      + (try await group.document(client: SharedGroup.office)?.secrets(.refreshToken) ?? [])
    #expect(kept.contains("rt-10"), "kept: \(kept)")
  }

  @Test("A refresh of the family token of MSAL on Apple's systems replaces that token")
  func familyRefreshKind() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    try await group.backend.update(SharedGroup.familyKey()) { stored in
      stored?.removeCredentials { _ in true }
      var frt = try CredentialEntry(fields: [
        "credential_type": "FamilyRefreshToken", "home_account_id": .string(TestUser.anna.identifier),
        "environment": "login.windows.net", "client_id": .string(SharedGroup.suite), "secret": "frt-1",
        "family_id": "1",
      ])
      frt.cachedAt = nil
      stored?.put(frt)
    }
    for number in [2, 3] {
      await group.endpoint.response(anna.response(number, family: "1"))
      _ = try await refresh(suite(), account)
    }
    #expect(await group.endpoint.sent == ["frt-1", "rt-2"])
  }

  @Test(
    "client_mismatch removes a client from the family for every account, including those it has tokens for")
  func mismatchEveryAccount() async throws {
    let a = try await suite().signIn(anna.response(1, family: "1"))
    let b = try await suite().signIn(TestUser.boris.response(2, family: "1"))
    await group.endpoint.response(anna.response(3, family: "1"))
    await group.endpoint.response(TestUser.boris.response(4, family: "1"))
    for account in [a, b] {
      _ = try await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    await group.endpoint.refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), a) }
    await group.endpoint.refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), b) }
    let all = await group.endpoint.sent
    #expect(all.count == 3, "\(all)")
  }

  @Test("A sign-in that returns a client to the family does so for every account")
  func rejoin() async throws {
    let a = try await suite().signIn(anna.response(1, family: "1"))
    let b = try await suite().signIn(TestUser.boris.response(2, family: "1"))
    await group.endpoint.refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), a) }
    try await office().signIn(anna.response(9, family: "1"))
    await group.endpoint.response(TestUser.boris.response(10, family: "1"))
    #expect(try await office().accounts().count == 2)
    let r = try? await office().acquireTokenSilent(scopes: ["mail.read"], account: b)
    #expect(r?.accessToken == "at-10")
  }

  @Test(
    "If the client's own token is refused for another reason, the family's is redeemed",
    arguments: ["interaction_required", "bad_token_x"])
  func otherErrors(code: String) async throws {
    let account = try await office().signIn(anna.response(9))
    try await suite().signIn(anna.response(1, family: "1"))
    try await group.backend.update(SharedGroup.key(client: SharedGroup.office)) { stored in
      stored?.put(
        AppMetadataEntry(clientID: SharedGroup.office, environment: "login.windows.net", familyID: "1"))
    }
    await group.endpoint.response(body: #"{"error":"\#(code)"}"#, status: 400)
    await group.endpoint.response(anna.response(10, family: "1"))
    let r = try? await office().acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(r?.accessToken == "at-10")
  }

  @Test("A deleted account has the server's error as underlying error, although there is a family")
  func deletedUnderlying() async throws {
    let account = try await office().signIn(anna.response(9))
    try await suite().signIn(anna.response(1, family: "1"))
    try await group.backend.update(SharedGroup.key(client: SharedGroup.office)) { stored in
      stored?.put(
        AppMetadataEntry(clientID: SharedGroup.office, environment: "login.windows.net", familyID: "1"))
    }
    await group.endpoint.response(
      body: #"{"error":"invalid_grant","suberror":"user_account_deleted"}"#, status: 400)
    let error = await #expect(throws: interaction) {
      try await office().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    #expect(error?.underlying is OAuthError, "\(error.map { "\($0)" } ?? "")")
  }
}
