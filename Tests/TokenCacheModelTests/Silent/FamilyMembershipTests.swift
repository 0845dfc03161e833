// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Joining and leaving a family")
struct FamilyMembershipTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  private func office(_ app: String = "word") throws -> TokenCache {
    try group.app(app, client: SharedGroup.office)
  }

  private func refresh(
    _ cache: TokenCache, _ account: Account, _ scopes: Scopes = ["mail.read"]
  ) async throws -> TokenResult {
    try await cache.acquireTokenSilent(scopes: scopes, account: account, forceRefresh: true)
  }

  private func sent() async -> [String] { await group.endpoint.requests.map(\.refreshToken) }

  private func refuse(_ suberror: String? = nil, code: String = "invalid_grant") async {
    let addition = suberror.map { #","suberror":"\#($0)""# } ?? ""
    await group.endpoint.answer(body: #"{"error":"\#(code)"\#(addition)}"#, status: 400)
  }

  /// Puts the office client into the family, whose tokens it then may redeem beside its own.
  private func makeMember(_ person: Person = .anna) async throws {
    try await group.backend.update(SharedGroup.key(of: person, client: SharedGroup.office)) { stored in
      stored?.put(
        AppMetadataEntry(clientID: SharedGroup.office, environment: "login.windows.net", familyID: "1"))
    }
  }

  @Test("A client that joins a family that has an older token keeps the new one")
  func joinExistingFamily() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1"))
    try await office().signIn(anna.answer(9))
    await group.endpoint.answer(anna.answer(10, family: "1"))
    _ = try await refresh(office(), account)
    let kept =
      (try await group.familyDocument()?.secrets(.refreshToken) ?? [])
      + (try await group.document(client: SharedGroup.office)?.secrets(.refreshToken) ?? [])
    #expect(kept.contains("rt-10"), "kept: \(kept)")
  }

  @Test("When the family's token brought one of the client's own, it is kept")
  func fallbackWithoutFoci() async throws {
    let account = try await office().signIn(anna.answer(9))
    try await suite().signIn(anna.answer(1, family: "1"))
    try await makeMember()
    await refuse()
    await group.endpoint.answer(anna.answer(10))
    _ = try await refresh(office(), account)
    let kept =
      (try await group.familyDocument()?.secrets(.refreshToken) ?? [])
      + (try await group.document(client: SharedGroup.office)?.secrets(.refreshToken) ?? [])
    #expect(kept.contains("rt-10"), "kept: \(kept)")
  }

  @Test("A family's token of MSAL on Apple's systems goes when redeeming it brought another")
  func familyRefreshKind() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1"))
    try await group.backend.update(SharedGroup.familyKey()) { stored in
      stored?.removeCredentials { _ in true }
      var frt = try CredentialEntry(fields: [
        "credential_type": "FamilyRefreshToken", "home_account_id": .string(Person.anna.identifier),
        "environment": "login.windows.net", "client_id": .string(SharedGroup.suite), "secret": "frt-1",
        "family_id": "1",
      ])
      frt.cachedAt = nil
      stored?.put(frt)
    }
    for number in [2, 3] {
      await group.endpoint.answer(anna.answer(number, family: "1"))
      _ = try await refresh(suite(), account)
    }
    #expect(await sent() == ["frt-1", "rt-2"])
  }

  @Test("client_mismatch puts a client out of the family for every account, also those it holds tokens of")
  func mismatchEveryAccount() async throws {
    let a = try await suite().signIn(anna.answer(1, family: "1"))
    let b = try await suite().signIn(Person.boris.answer(2, family: "1"))
    await group.endpoint.answer(anna.answer(3, family: "1"))
    await group.endpoint.answer(Person.boris.answer(4, family: "1"))
    for account in [a, b] {
      _ = try await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    await refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), a) }
    await refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), b) }
    let all = await sent()
    #expect(all.count == 3, "\(all)")
  }

  @Test("A client that a sign-in takes into the family again is in it for every account")
  func rejoin() async throws {
    let a = try await suite().signIn(anna.answer(1, family: "1"))
    let b = try await suite().signIn(Person.boris.answer(2, family: "1"))
    await refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), a) }
    try await office().signIn(anna.answer(9, family: "1"))
    await group.endpoint.answer(Person.boris.answer(10, family: "1"))
    #expect(try await office().accounts().count == 2)
    let r = try? await office().acquireTokenSilent(scopes: ["mail.read"], account: b)
    #expect(r?.accessToken == "at-10")
  }

  @Test(
    "When the client's own is refused for another reason, the family's is redeemed",
    arguments: ["unauthorized_client", "access_denied", "bad_token_x"])
  func otherErrors(code: String) async throws {
    let account = try await office().signIn(anna.answer(9))
    try await suite().signIn(anna.answer(1, family: "1"))
    try await group.backend.update(SharedGroup.key(client: SharedGroup.office)) { stored in
      stored?.put(
        AppMetadataEntry(clientID: SharedGroup.office, environment: "login.windows.net", familyID: "1"))
    }
    await group.endpoint.answer(body: #"{"error":"\#(code)"}"#, status: 400)
    await group.endpoint.answer(anna.answer(10, family: "1"))
    let r = try? await office().acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(r?.accessToken == "at-10")
  }

  @Test("An account that was deleted keeps the server's error beneath although there is a family")
  func deletedUnderlying() async throws {
    let account = try await office().signIn(anna.answer(9))
    try await suite().signIn(anna.answer(1, family: "1"))
    try await group.backend.update(SharedGroup.key(client: SharedGroup.office)) { stored in
      stored?.put(
        AppMetadataEntry(clientID: SharedGroup.office, environment: "login.windows.net", familyID: "1"))
    }
    await group.endpoint.answer(
      body: #"{"error":"invalid_grant","suberror":"user_account_deleted"}"#, status: 400)
    let error = await #expect(throws: interaction) {
      try await office().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    #expect(error?.underlying is OAuthError, "\(error.map { "\($0)" } ?? "")")
  }
}
