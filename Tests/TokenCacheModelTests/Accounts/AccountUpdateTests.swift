// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Account update")
struct AccountUpdateTests {
  private func profile(_ tenant: String, _ username: String, identifier: String = "") -> TenantProfile {
    TenantProfile(
      identifier: identifier, tenant: tenant, isHome: false, username: username, name: nil, idToken: nil)
  }

  private func account(_ username: String, identifier: String = "uid.utid", _ profiles: [TenantProfile])
    -> Account
  {
    Account(
      identifier: identifier, username: username, environment: "login.windows.net", name: nil,
      clients: [username],
      tenantProfiles: profiles)
  }

  @Test("A newer response's tenant profiles replace those of the same tenant and leave the others")
  func updated() {
    let old = account("old", [profile("home", "old"), profile("Guest", "old"), profile("other", "old")])
    let updated = old.updated(from: account("new", [profile("guest", "new"), profile("added", "new")]))
    #expect(updated.tenantProfiles.map(\.tenant) == ["added", "guest", "home", "other"])
    #expect(updated.tenantProfiles.map(\.username) == ["new", "new", "old", "old"])
    #expect(updated.username == "new")
    #expect(updated.clients == ["new", "old"])
  }

  /// A name and an object ID of an ADAL user, and whether that user is Anna, whose name and object ID MSAL has.
  static let users: [(name: String, objectID: String, isAnna: Bool)] = [
    ("anna@contoso.com", TestUser.anna.uid, true), ("ANNA@contoso.com", "", true),
    ("anna@contoso.com", TestUser.boris.uid, true),
    ("renamed@contoso.com", TestUser.anna.uid.uppercased(), true),
    ("renamed@contoso.com", TestUser.boris.uid, false), ("renamed@contoso.com", "", false),
  ]

  @Test("An ADAL account matches the account with its name or object ID", arguments: users)
  func named(name: String, objectID: String, isAnna: Bool) async throws {
    let mail = try SharedGroup().app("mail")
    let anna = try await mail.signIn(TestUser.anna.response())
    let adalTokens = account(name, identifier: "", [profile(TestUser.anna.utid, name, identifier: objectID)])
    #expect(try await mail.unifiedAccounts(namedAs: adalTokens) == (isAnna ? [anna] : []))
    let elsewhere = Account(identifier: "", username: name, environment: "login.microsoftonline.us")
    #expect(try await mail.unifiedAccounts(namedAs: elsewhere).isEmpty)
  }
}
