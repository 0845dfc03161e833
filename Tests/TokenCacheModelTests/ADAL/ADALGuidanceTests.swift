// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

@testable import ADALCache

/// What Microsoft's pages "Migrate applications to MSAL for iOS and macOS" and "SSO between ADAL and MSAL apps on macOS
/// and iOS" say of ADAL's own calls.
@Suite("ADAL guidance")
struct ADALGuidanceTests {
  private let group = SharedGroup()

  @Test("homeAccountId of ADAL 2.7 is the identifier by which MSAL finds the account")
  func homeAccountID() async throws {
    let result = try await group.adal("old").signIn(TestUser.anna.adalResponse())
    let identifier = try #require(result.user?.homeAccountID)
    #expect(identifier == TestUser.anna.identifier)
    let account = try #require(try await group.app("mail").account(identifier: identifier))
    #expect(account.username == result.user?.userID)
  }

  @Test(
    "An account is looked up by its identifier, or else by ADAL's user ID, and is then silent",
    arguments: ADALGeneration.allCases)
  func lookUp(generation: ADALGeneration) async throws {
    let signedIn = try await group.adal("old", generation).signIn(TestUser.anna.adalResponse())
    let user = try #require(signedIn.user)
    #expect((user.homeAccountID == nil) == (generation == .ownFormat))
    let mail = try group.app("mail")
    var found: Account?
    if let identifier = user.homeAccountID {
      found = try await mail.account(identifier: identifier)
    } else {
      found = try await mail.account(username: user.userID)
    }
    let account = try #require(found)
    await group.endpoint.response(TestUser.anna.response(2))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2" && result.account.identifier == TestUser.anna.identifier)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
  }

  @Test("A result has the claims of ADUserInformation, after a sign-in and from the cache")
  func claims() async throws {
    let mail = try group.adal("mail", .ownFormat)
    let signedIn = try await mail.signIn(TestUser.anna.adalResponse())
    let silent = try await mail.acquireTokenSilent(resource: SharedGroup.graph, userID: "anna@contoso.com")
    for result in [signedIn, silent] {
      let claims = try #require(result.claims)
      #expect(claims.tenantID == TestUser.anna.utid && claims["family_name"] == "Person")
    }
    let items = try await mail.items(userID: "anna@contoso.com")
    let item = try #require(items.first { $0.accessToken == "at-1" })
    #expect(item.givenName == "A" && item.familyName == "Person" && item.tenantID == TestUser.anna.utid)
  }

  @Test("userId is the ID token's upn, also where MSAL's user name is another")
  func userID() async throws {
    let claims: JSONObject = [
      "sub": "s", "oid": .string(TestUser.anna.uid), "tid": .string(TestUser.anna.utid),
      "upn": "anna@corp.local", "preferred_username": "anna@contoso.com",
    ]
    let response = TestUser.anna.adalResponse(
      changing: ["id_token": .string(JSONValue.object(claims).idToken)])
    #expect(
      try await group.adal("mail", .ownFormat).signIn(response).user?.userID == "anna@corp.local")
  }

  @Test("One cache gets tokens of several authorities, where ADAL needs a context for each")
  func authorities() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse(1))
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    let fabrikam = try Authority("https://login.microsoftonline.com/fabrikam.com")
    let result = try await mail.acquireTokenSilent(resource: SharedGroup.graph, authority: fabrikam)
    #expect(result.accessToken == "at-2" && result.source == .refresh)
    #expect(await group.endpoint.requests.map(\.authority) == [fabrikam])
    #expect(try await mail.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-1")
  }
}
