// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Tenant profiles")
struct TenantProfilesTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private static let guestTenant = "3338040d-6c67-4c5b-b112-36a304b66dad"

  private func guestAnswer(_ number: Int = 2) -> JSONObject {
    let claims: JSONObject = [
      "oid": "guest-oid", "sub": "guest-sub", "tid": .string(Self.guestTenant),
      "preferred_username": "anna_contoso.com#EXT#@fabrikam.com", "name": "Anna (guest)",
    ]
    return anna.answer(number, changing: ["id_token": .string(JSONValue.object(claims).idToken)])
  }

  /// Signs in at home and in a tenant where the person is a guest.
  private func signInTwice() async throws -> Account {
    let mail = try group.app("mail")
    try await mail.signIn(anna.answer(1))
    try await mail.signIn(guestAnswer())
    return try #require(try await mail.account())
  }

  @Test("One account has a profile in each tenant, with its own id, name and claims")
  func profiles() async throws {
    let account = try await signInTwice()
    #expect(account.identifier == anna.identifier)
    #expect(account.username == anna.username)
    #expect(account.tenants == [Self.guestTenant, anna.utid])
    let guest = try #require(account.tenantProfiles.first)
    #expect(guest.identifier == "guest-oid")
    #expect(guest.username == "anna_contoso.com#EXT#@fabrikam.com")
    #expect(guest.name == "Anna (guest)")
    #expect(!guest.isHome)
    #expect(guest.claims?["sub"] == "guest-sub")
    let home = try #require(account.tenantProfiles.last)
    #expect(home.identifier == anna.uid)
    #expect(home.isHome)
    #expect(home.claims?["oid"] == anna.uid)
  }

  @Test("The account's claims are those of its home tenant")
  func claims() async throws {
    #expect(try await signInTwice().claims?["tid"] == anna.utid)
    let other = SharedGroup()
    let guestOnly = try await other.app("mail").signIn(guestAnswer())
    #expect(guestOnly.claims == nil)
    #expect(guestOnly.username == "anna_contoso.com#EXT#@fabrikam.com")
  }

  @Test("Signing in again does not add a second profile of the tenant")
  func once() async throws {
    _ = try await signInTwice()
    let mail = try group.app("mail")
    try await mail.signIn(guestAnswer(3))
    #expect(try await mail.account()?.tenantProfiles.count == 2)
  }

  @Test("An account is found by its id in any of its tenants, in any case, and by no other")
  func byProfile() async throws {
    let account = try await signInTwice()
    let mail = try group.app("mail")
    for identifier in ["guest-oid", "GUEST-OID", anna.uid] {
      #expect(try await mail.account(tenantProfile: identifier) == account)
    }
    for identifier in ["guest-sub", anna.identifier, anna.username] {
      #expect(try await mail.account(tenantProfile: identifier) == nil)
    }
  }

  @Test("A blank profile id is invalidArgument, never the first account", arguments: ["", " ", "\n"])
  func blank(identifier: String) async throws {
    _ = try await signInTwice()
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await group.app("mail").account(tenantProfile: identifier)
    }
  }

  @Test("Two accounts that one tenant knows by the same id are ambiguous, and are both named")
  func ambiguous() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(guestAnswer())
    try await mail.signIn(guestAnswer().changed(by: ["client_info": .string(Person.boris.clientInfo)]))
    let error = await #expect(throws: SecretStoreError(.ambiguousAccount, "")) {
      try await mail.account(tenantProfile: "guest-oid")
    }
    #expect(error?.detail.contains(anna.identifier) == true)
    #expect(error?.detail.contains(Person.boris.identifier) == true)
  }

  @Test(
    "A client of the family sees the account, but not the claims of an id token that was not issued to it")
  func familyClaims() async throws {
    let account = try await group.app("mail").signIn(anna.answer(1, family: "1"))
    let seen = try #require(try await group.app("word", client: SharedGroup.office).account())
    #expect(seen == account)
    #expect(seen.claims == nil)
    #expect(seen.tenantProfiles.map(\.identifier) == [anna.uid])
    #expect(try await group.app("mail").account()?.claims != nil)
  }

  @Test("After a change of the user name, the identifier is silent, and the old name finds nobody")
  func renamed() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.answer(1))
    group.clock.advance(by: 4000)
    let claims: JSONObject = [
      "oid": .string(anna.uid), "tid": .string(anna.utid), "preferred_username": "anna.new@contoso.com",
    ]
    await group.endpoint.answer(
      anna.answer(2, changing: ["id_token": .string(JSONValue.object(claims).idToken)]))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    #expect(try await mail.account(username: anna.username) == nil)
    let found = try #require(try await mail.account(username: "Anna.New@contoso.com"))
    #expect(found == account)
    #expect(found.username == "anna.new@contoso.com")
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).source == .cache)
  }

  @Test("Outside Azure AD an account has one profile, and it is at home there")
  func openID() async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com/realms/staff")
    let account = try await mail.signIn(anna.openIDAnswer())
    #expect(account.tenantProfiles.map(\.tenant) == ["realms/staff"])
    #expect(account.tenantProfiles.map(\.isHome) == [true])
    #expect(account.homeTenant == nil)
    #expect(account.claims?.username == anna.username)
  }

  @Test("Accounts are equal by identifier and environment, whatever else is known of them")
  func equality() async throws {
    let account = try await signInTwice()
    let mail = try group.app("mail")
    try await mail.signIn(anna.answer(3, changing: ["id_token": .null]))
    let other = try await SharedGroup().app("mail").signIn(guestAnswer())
    #expect(account == other)
    #expect(account.hashValue == other.hashValue)
    #expect(account != (try await SharedGroup().app("mail").signIn(Person.boris.answer())))
    let government = try group.app("mail", authority: "https://login.microsoftonline.us/common")
    #expect(account != (try await government.signIn(anna.answer())))
  }
}
