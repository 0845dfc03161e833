// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Current account")
struct CurrentAccountTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private let boris = Person.boris

  @Test("It is nobody before anybody signs in, and nothing is written for that")
  func nobody() async throws {
    let current = try await group.app("mail").currentAccount()
    #expect(current.account == nil)
    #expect(!current.hasChanged)
    #expect(try await group.stored().isEmpty)
  }

  @Test("A sibling's sign-in is a change the first time that the app asks, and none the second time")
  func changed() async throws {
    let account = try await group.app("calendar").signIn(anna.answer())
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

  @Test("When somebody else is signed in, the one before is told; when nobody is, too")
  func another() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.answer())
    _ = try await mail.currentAccount()
    try await mail.signOut(account)
    try await mail.signIn(boris.answer())
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

  @Test("Several accounts are ambiguous, and the last time stays what it was")
  func ambiguous() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(anna.answer())
    _ = try await mail.currentAccount()
    try await mail.signIn(boris.answer())
    await #expect(throws: SecretStoreError(.ambiguousAccount, "")) { try await mail.currentAccount() }
    try await mail.signOut(try #require(try await mail.account(identifier: boris.identifier)))
    #expect(!(try await mail.currentAccount().hasChanged))
  }

  @Test("Apps of one client have each their own last time")
  func apps() async throws {
    try await group.app("mail").signIn(anna.answer())
    _ = try await group.app("mail").currentAccount()
    #expect(try await group.app("calendar").currentAccount().hasChanged)
    #expect(!(try await group.app("mail").currentAccount().hasChanged))
  }

  @Test("Only an app has one; a person at the keyboard doesn't")
  func person() async throws {
    let cache = TokenCache(
      backend: group.backend, app: nil, clientID: SharedGroup.suite,
      authority: try Authority(SharedGroup.azure), options: group.options)
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await cache.currentAccount() }
  }
}
