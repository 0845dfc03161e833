// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Silent calls: scopes")
struct ScopeRequestTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func token(_ account: Account, _ scopes: Scopes, isOnline: Bool = true) async throws -> TokenResult
  {
    try await group.app("mail", isOnline: isOnline).acquireTokenSilent(scopes: scopes, account: account)
  }

  @Test("The OpenID Connect scopes do not distinguish tokens")
  func signInScopes() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, scope: "mail.read"))
    let scopes: Scopes = ["mail.read", "openid", "profile", "offline_access", "email"]
    #expect(try await token(account, scopes, isOnline: false).accessToken == "at-1")
  }

  @Test("The OpenID Connect scopes are requested if there are no others")
  func onlySignInScopes() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, scope: "openid profile"))
    #expect(try await token(account, ["openid"], isOnline: false).accessToken == "at-1")
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await token(account, ["email"], isOnline: false)
    }
  }

  @Test(
    "A resource becomes its .default scope; one that ends in a slash keeps it",
    arguments: [
      ("https://graph.microsoft.com", "https://graph.microsoft.com/.default"),
      ("https://management.core.windows.net/", "https://management.core.windows.net//.default"),
      ("00000003-0000-0000-c000-000000000000", "00000003-0000-0000-c000-000000000000/.default"),
    ])
  func resource(_ resource: String, _ scope: String) {
    #expect(Scopes(resource: resource).target == scope)
  }

  @Test("The token granted for .default is returned for it, although the server named other scopes")
  func defaults() async throws {
    let vault: Scopes = Scopes(resource: "https://vault.azure.net")
    let granted = "https://vault.azure.net/user_impersonation"
    let account = try await group.app("mail").signIn(anna.response(1, scope: granted), scopes: vault)
    #expect(try await token(account, vault, isOnline: false).accessToken == "at-1")
    #expect(try await token(account, [granted], isOnline: false).accessToken == "at-1")
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await token(account, Scopes(resource: "https://management.azure.com"), isOnline: false)
    }
  }

  @Test(".default is not declined if the server returns the scopes it stands for")
  func notDeclined() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    let graph = Scopes(resource: "https://graph.microsoft.com")
    await group.endpoint.response(anna.response(2, scope: "User.Read openid"))
    #expect(try await token(account, graph).accessToken == "at-2")
    #expect(try await token(account, graph).source == .cache)
  }

  @Test("Two resources whose responses name the same scope keep a token each")
  func twoResources() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    let resources = ["https://one.example", "https://two.example/"].map(Scopes.init(resource:))
    for (number, resource) in resources.enumerated() {
      await group.endpoint.response(anna.response(10 + number, scope: "user_impersonation"))
      #expect(try await token(account, resource).accessToken == "at-\(10 + number)")
    }
    for (number, resource) in resources.enumerated() {
      #expect(try await token(account, resource, isOnline: false).accessToken == "at-\(10 + number)")
    }
  }

  @Test(
    "A malformed scope throws invalidArgument, and nothing is sent or read",
    arguments: ["a\"b", "a\\b", "a\u{0}b", "a\u{7F}b", "schön", "\u{1F600}"])
  func malformed(scope: String) async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    for scopes: Scopes in [[scope], ["mail.read", scope]] {
      await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await token(account, scopes) }
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("No scope, or blank ones, throw invalidArgument", arguments: [[], [""], [" ", "\n"]] as [[String]])
  func none(scopes: [String]) async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await token(account, Scopes(scopes)) }
  }

  @Test("A scope in another case and order is the same")
  func order() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, scope: "Mail.Read Files.Read openid"))
    #expect(try await token(account, ["FILES.READ", "mail.read"], isOnline: false).accessToken == "at-1")
  }
}
