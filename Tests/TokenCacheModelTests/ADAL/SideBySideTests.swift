// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

/// Two apps of one group, each of one of three eras: one signs in, the other is silent.
@Suite("Apps of ADAL and of MSAL side by side")
struct SideBySideTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    let first: AppOfAnEra.Era
    let second: AppOfAnEra.Era
    let sharesClient: Bool

    var testDescription: String {
      "\(first.rawValue), then \(second.rawValue), \(sharesClient ? "one client" : "two clients of a family")"
    }

    static let all = AppOfAnEra.Era.allCases.flatMap { first in
      AppOfAnEra.Era.allCases.flatMap { second in
        [true, false].map { Pair(first: first, second: second, sharesClient: $0) }
      }
    }
  }

  private let group = SharedGroup()

  private func apps(_ pair: Pair, isSeeding: Bool = false) -> (AppOfAnEra, AppOfAnEra) {
    (
      AppOfAnEra(group: group, era: pair.first, name: "first", isSeeding: isSeeding),
      AppOfAnEra(
        group: group, era: pair.second, name: "second",
        client: pair.sharesClient ? SharedGroup.suite : SharedGroup.office)
    )
  }

  @Test("The second is silent, in every pair but MSAL and then ADAL 2.6", arguments: Pair.all)
  func silent(pair: Pair) async throws {
    let (first, second) = apps(pair)
    try await first.signIn(1, family: "1")
    await group.endpoint.answer(second.answer(2, family: "1"))
    if pair.first == .msal && pair.second == .adal26 {
      #expect(try await second.users().isEmpty)
      let error = await #expect(throws: SecretStoreError.self) { try await second.silent() }
      #expect(error?.code == .interactionRequired)
    } else {
      #expect(try await second.users() == ["anna@contoso.com"])
      #expect(try await second.silent() == "at-2")
      #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
    }
  }

  @Test("With seeding on, ADAL 2.6 is silent after MSAL, too", arguments: [true, false])
  func seeded(sharesClient: Bool) async throws {
    let (first, second) = apps(
      Pair(first: .msal, second: .adal26, sharesClient: sharesClient), isSeeding: true)
    try await first.signIn(1, family: "1")
    await group.endpoint.answer(second.answer(2, family: "1"))
    #expect(try await second.users() == ["anna@contoso.com"])
    #expect(try await second.silent() == "at-2")
  }

  @Test("After the first signs out the second is silent still, if it had a token before", arguments: Pair.all)
  func firstSignsOut(pair: Pair) async throws {
    guard pair.first != .msal || pair.second != .adal26 else { return }
    let (first, second) = apps(pair)
    try await first.signIn(1, family: "1")
    await group.endpoint.answer(second.answer(2, family: "1"))
    _ = try await second.silent()
    try await first.signOut()
    #expect(try await first.users().isEmpty)
    #expect(try await second.users() == ["anna@contoso.com"])
    #expect(try await second.silent() == "at-2")
    let error = await #expect(throws: SecretStoreError.self) { try await first.silent() }
    #expect(error?.code == .interactionRequired)
  }

  @Test("After the first signs out nothing is left for a second that never had a token", arguments: Pair.all)
  func nothingLeft(pair: Pair) async throws {
    let (first, second) = apps(pair)
    try await first.signIn(1, family: "1")
    try await first.signOut()
    #expect(try await second.users().isEmpty)
    let error = await #expect(throws: SecretStoreError.self) { try await second.silent() }
    #expect(error?.code == .interactionRequired)
  }

  @Test("Clients that are in no family don't share", arguments: Pair.all.filter { !$0.sharesClient })
  func strangers(pair: Pair) async throws {
    let (first, second) = apps(pair)
    try await first.signIn(1, family: nil)
    #expect(try await second.users().isEmpty)
    let error = await #expect(throws: SecretStoreError.self) { try await second.silent() }
    #expect(error?.code == .interactionRequired)
  }

  @Test("An app that signed out does not come back by moving to another era", arguments: Pair.all)
  func moved(pair: Pair) async throws {
    let before = AppOfAnEra(group: group, era: pair.first, name: "app")
    let after = AppOfAnEra(group: group, era: pair.second, name: "app")
    let sibling = AppOfAnEra(group: group, era: .adal27, name: "sibling")
    try await before.signIn(1, family: "1")
    await group.endpoint.answer(sibling.answer(2, family: "1"))
    _ = try await sibling.silent()
    try await before.signOut()
    #expect(try await sibling.users() == ["anna@contoso.com"])
    if pair.first != pair.second && (pair.first != .msal || pair.second != .adal26) {
      #expect(try await after.users().isEmpty)
      let error = await #expect(throws: SecretStoreError.self) { try await after.silent() }
      #expect(error?.code == .interactionRequired)
    }
    try await after.signIn(3, family: "1")
    #expect(try await after.users() == ["anna@contoso.com"])
  }
}
