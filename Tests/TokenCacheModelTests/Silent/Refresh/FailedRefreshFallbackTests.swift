// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Fallback to another app's token after a failed refresh")
struct FailedRefreshFallbackTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  /// Signs in and lets the access token expire.
  ///
  /// During this app's refresh another app stores a new token.
  private func account(broughtScope: String = "mail.read") async throws -> Account {
    let account = try await group.app("mail").signIn(anna.response(1))
    group.clock.advance(by: 4000)
    let (group, anna) = (group, anna)
    await group.endpoint.beforeResponding {
      _ = try await group.app("calendar").signIn(
        anna.response(2, scope: broughtScope), scopes: Scopes(target: broughtScope))
    }
    return account
  }

  private func refusal() async {
    await group.endpoint.response(["error": "invalid_grant"], status: 400)
  }

  @Test("It is returned although the server refused the old refresh token", arguments: [false, true])
  func refused(isForced: Bool) async throws {
    let account = try await account()
    await refusal()
    let result = try await group.app("mail").acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: isForced)
    #expect(result.accessToken == "at-2")
    #expect(result.source == .cache)
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("It is returned although there was no response")
  func withoutResponse() async throws {
    let account = try await account()
    await group.endpoint.fail(with: ScriptedEndpoint.NotScripted())
    let result = try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
  }

  @Test("One for other scopes is not used")
  func otherScopes() async throws {
    let account = try await account(broughtScope: "files.read")
    // The refresh token that was stored with it is refused, too.
    for _ in 1...2 { await refusal() }
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      _ = try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("The token that a forced refresh was to replace does not replace the response")
  func forced() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await refusal()
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      _ = try await group.app("mail").acquireTokenSilent(
        scopes: ["mail.read"], account: account, forceRefresh: true)
    }
  }

  @Test("An app that was signed out during the refresh does not get it")
  func signedOut() async throws {
    let account = try await account()
    let (group, anna) = (group, anna)
    await group.endpoint.beforeResponding {
      _ = try await group.app("calendar").signIn(anna.response(2))
      try await group.app("mail").signOut(account)
    }
    await refusal()
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      _ = try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }
}
