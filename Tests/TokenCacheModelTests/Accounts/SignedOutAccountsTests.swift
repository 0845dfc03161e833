// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Accounts that the app has signed out of")
struct SignedOutAccountsTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  @Test("are listed only when asked for, while another app of the client has tokens")
  func listed() async throws {
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar"))
    let account = try await mail.signIn(anna.response(1))
    let boris = try await mail.signIn(TestUser.boris.response(2))
    _ = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    try await mail.signOut(account)
    #expect(try await mail.accounts() == [boris])
    #expect(try await mail.accounts(includingSignedOut: true) == [account, boris])
    #expect(try await mail.accounts(includingSignedOut: true).map(\.username).sorted().first == anna.username)
    #expect(try await mail.signInState(of: account) == .signedOut)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    try await calendar.signOut(account)
    #expect(try await mail.accounts(includingSignedOut: true) == [boris])
  }

  @Test("are listed while the client's family has tokens")
  func family() async throws {
    let mail = try group.app("mail", client: SharedGroup.office)
    let account = try await mail.signIn(anna.response(1, family: "1"))
    try await group.app("notes").signIn(anna.response(2, family: "1"))
    try await mail.signOut(account)
    #expect(try await mail.accounts().isEmpty)
    #expect(try await mail.accounts(includingSignedOut: true) == [account])
  }
}
