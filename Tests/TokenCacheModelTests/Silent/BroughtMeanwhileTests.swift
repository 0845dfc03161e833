// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("A token that another app brought during a refresh that failed")
struct BroughtMeanwhileTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  /// Signs in, lets the access token expire, and has another app bring the next during the refresh of this one.
  private func account(broughtScope: String = "mail.read") async throws -> Account {
    let account = try await group.app("mail").signIn(anna.answer(1))
    group.clock.advance(by: 4000)
    let (group, anna) = (group, anna)
    await group.endpoint.beforeAnswering {
      _ = try await group.app("calendar").signIn(
        anna.answer(2, scope: broughtScope), scopes: Scopes(target: broughtScope))
    }
    return account
  }

  private func refusal() async {
    await group.endpoint.answer(["error": "invalid_grant"], status: 400)
  }

  @Test("It is handed out, although the server refused the old refresh token", arguments: [false, true])
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

  @Test("It is handed out, although there was no answer")
  func unanswered() async throws {
    let account = try await account()
    await group.endpoint.fail(with: ScriptedEndpoint.NotScripted())
    let result = try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
  }

  @Test("One for other scopes is of no use")
  func otherScopes() async throws {
    let account = try await account(broughtScope: "files.read")
    await refusal()
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      _ = try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("The token that a forced refresh was to replace does not stand in for the answer")
  func forced() async throws {
    let account = try await group.app("mail").signIn(anna.answer(1))
    await refusal()
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      _ = try await group.app("mail").acquireTokenSilent(
        scopes: ["mail.read"], account: account, forceRefresh: true)
    }
  }

  @Test("An app that was signed out meanwhile is not handed it")
  func signedOut() async throws {
    let account = try await account()
    let (group, anna) = (group, anna)
    await group.endpoint.beforeAnswering {
      _ = try await group.app("calendar").signIn(anna.answer(2))
      try await group.app("mail").signOut(account)
    }
    await refusal()
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      _ = try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }
}
