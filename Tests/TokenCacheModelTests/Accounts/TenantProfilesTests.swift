// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Tenant profiles")
struct TenantProfilesTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private static let guestTenant = "3338040d-6c67-4c5b-b112-36a304b66dad"

  private func guestResponse(_ number: Int = 2) -> JSONObject {
    let claims: JSONObject = [
      "oid": "guest-oid", "sub": "guest-sub", "tid": .string(Self.guestTenant),
      "preferred_username": "anna_contoso.com#EXT#@fabrikam.com", "name": "Anna (guest)",
    ]
    return anna.response(number, changing: ["id_token": .string(JSONValue.object(claims).idToken)])
  }

  /// Signs in at the home tenant and at a tenant where the user is a guest.
  private func signInTwice() async throws -> Account {
    let mail = try group.app("mail")
    try await mail.signIn(anna.response(1))
    try await mail.signIn(guestResponse())
    return try #require(try await mail.account())
  }

  @Test("An account has a profile in each tenant, with its own ID, name and claims")
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
    let guestOnly = try await other.app("mail").signIn(guestResponse())
    #expect(guestOnly.claims == nil)
    #expect(guestOnly.username == "anna_contoso.com#EXT#@fabrikam.com")
  }

  @Test("A repeated sign-in adds no second profile of the tenant")
  func once() async throws {
    _ = try await signInTwice()
    let mail = try group.app("mail")
    try await mail.signIn(guestResponse(3))
    #expect(try await mail.account()?.tenantProfiles.count == 2)
  }

  @Test("An account is found by its ID in any of its tenants, in any case, and by no other")
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

  @Test(
    "A blank profile ID throws invalidArgument and never means the first account", arguments: ["", " ", "\n"])
  func blank(identifier: String) async throws {
    _ = try await signInTwice()
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await group.app("mail").account(tenantProfile: identifier)
    }
  }

  @Test("Two accounts with one ID in one tenant are ambiguous, and the error names both")
  func ambiguous() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(guestResponse())
    try await mail.signIn(guestResponse().changed(by: ["client_info": .string(TestUser.boris.clientInfo)]))
    let error = await #expect(throws: SecretStoreError(.ambiguousAccount, "")) {
      try await mail.account(tenantProfile: "guest-oid")
    }
    #expect(error?.detail.contains(anna.identifier) == true)
    #expect(error?.detail.contains(TestUser.boris.identifier) == true)
  }

  @Test("A client of the family sees the account, but not the claims of an ID token issued to another client")
  func familyClaims() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, family: "1"))
    let seen = try #require(try await group.app("word", client: SharedGroup.office).account())
    #expect(seen == account)
    #expect(seen.claims == nil)
    #expect(seen.tenantProfiles.map(\.identifier) == [anna.uid])
    #expect(try await group.app("mail").account()?.claims != nil)
  }

  @Test("After a change of the user name the identifier stays silent, and the old name is not found")
  func renamed() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    group.clock.advance(by: 4000)
    let claims: JSONObject = [
      "oid": .string(anna.uid), "tid": .string(anna.utid), "preferred_username": "anna.new@contoso.com",
    ]
    await group.endpoint.response(
      anna.response(2, changing: ["id_token": .string(JSONValue.object(claims).idToken)]))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    #expect(try await mail.account(username: anna.username) == nil)
    let found = try #require(try await mail.account(username: "Anna.New@contoso.com"))
    #expect(found == account)
    #expect(found.username == "anna.new@contoso.com")
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).source == .cache)
  }

  @Test("Outside Azure AD an account has one profile, its home profile", arguments: [nil, "1001"])
  func openID(subject: String?) async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com/realms/staff")
    let account = try await mail.signIn(anna.openIDResponse(subject: subject))
    #expect(account.tenantProfiles.map(\.tenant) == ["realms/staff"])
    #expect(account.tenantProfiles.map(\.isHome) == [true])
    #expect(account.homeTenant == nil)
    #expect(account.claims?.username == anna.username)
  }

  @Test("Accounts are equal if identifier and environment are equal, whatever their other values")
  func equality() async throws {
    let account = try await signInTwice()
    let mail = try group.app("mail")
    try await mail.signIn(anna.response(3, changing: ["id_token": .null]))
    let other = try await SharedGroup().app("mail").signIn(guestResponse())
    #expect(account == other)
    #expect(account.hashValue == other.hashValue)
    #expect(account != (try await SharedGroup().app("mail").signIn(TestUser.boris.response())))
    let government = try group.app("mail", authority: "https://login.microsoftonline.us/common")
    #expect(account != (try await government.signIn(anna.response())))
  }
}
