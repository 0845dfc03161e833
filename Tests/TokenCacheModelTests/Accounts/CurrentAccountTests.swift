// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Current account")
struct CurrentAccountTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let boris = TestUser.boris

  @Test("Before any sign-in it is nil, and reading it writes nothing")
  func nobody() async throws {
    let current = try await group.app("mail").currentAccount()
    #expect(current.account == nil)
    #expect(!current.hasChanged)
    #expect(try await group.stored().isEmpty)
  }

  @Test("A sibling's sign-in is a change when the app first reads it, and no change the second time")
  func changed() async throws {
    let account = try await group.app("calendar").signIn(anna.response())
    let mail = try group.app("mail")
    let first = try await mail.currentAccount()
    #expect(first.account == account)
    #expect(first.previousIdentifier == nil)
    #expect(first.hasChanged)
    let stored = try await group.stored()
    let second = try await mail.currentAccount()
    #expect(second.previousIdentifier == anna.identifier)
    #expect(!second.hasChanged)
    #expect(try await group.stored() == stored)
  }

  @Test("A change of the user, or to no user, reports the previous account")
  func another() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response())
    _ = try await mail.currentAccount()
    try await mail.signOut(account)
    try await mail.signIn(boris.response())
    let current = try await mail.currentAccount()
    #expect(current.account?.identifier == boris.identifier)
    #expect(current.previousIdentifier == anna.identifier)
    #expect(current.hasChanged)
    try await mail.signOut(try #require(current.account))
    let last = try await mail.currentAccount()
    #expect(last.account == nil)
    #expect(last.previousIdentifier == boris.identifier)
    #expect(last.hasChanged)
    #expect(!(try await mail.currentAccount().hasChanged))
  }

  @Test("Several accounts are ambiguous and leave the previous account unchanged")
  func ambiguous() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(anna.response())
    _ = try await mail.currentAccount()
    try await mail.signIn(boris.response())
    await #expect(throws: SecretStoreError(.ambiguousAccount, "")) { try await mail.currentAccount() }
    try await mail.signOut(try #require(try await mail.account(identifier: boris.identifier)))
    #expect(!(try await mail.currentAccount().hasChanged))
  }

  @Test("Each app of a client has its own previous account")
  func apps() async throws {
    try await group.app("mail").signIn(anna.response())
    _ = try await group.app("mail").currentAccount()
    #expect(try await group.app("calendar").currentAccount().hasChanged)
    #expect(!(try await group.app("mail").currentAccount().hasChanged))
  }

  @Test("A cache without an app throws invalidArgument")
  func person() async throws {
    let cache = TokenCache(
      backend: group.backend, app: nil, clientID: SharedGroup.suite,
      authority: try Authority(SharedGroup.azure), options: group.options)
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await cache.currentAccount() }
  }

  @Test("A single-account app learns that a wipe removed its account")
  func afterWipe() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(anna.response(1))
    _ = try await mail.currentAccount()
    try await AccountDirectory(backend: group.backend).removeEverything(recordedAs: "x", clock: group.clock)
    let current = try await mail.currentAccount()
    #expect(current.hasChanged)
    #expect(current.previousIdentifier == anna.identifier)
  }
}
