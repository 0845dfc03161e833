// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

/// Two apps of one group, each built with one of three libraries: one signs in, the other is silent.
@Suite("ADAL and MSAL apps side by side")
struct ADALAndMSALTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    let first: LibraryApp.Library
    let second: LibraryApp.Library
    let sharesClient: Bool

    var testDescription: String {
      "\(first.rawValue), then \(second.rawValue), \(sharesClient ? "one client" : "two clients of a family")"
    }

    static let all = LibraryApp.Library.allCases.flatMap { first in
      LibraryApp.Library.allCases.flatMap { second in
        [true, false].map { Pair(first: first, second: second, sharesClient: $0) }
      }
    }
  }

  private let group = SharedGroup()

  private func apps(_ pair: Pair, isSeeding: Bool = false) -> (LibraryApp, LibraryApp) {
    (
      LibraryApp(group: group, library: pair.first, name: "first", isSeeding: isSeeding),
      LibraryApp(
        group: group, library: pair.second, name: "second",
        client: pair.sharesClient ? SharedGroup.suite : SharedGroup.office)
    )
  }

  @Test("The second app is silent in every pair except MSAL followed by ADAL 2.6", arguments: Pair.all)
  func silent(pair: Pair) async throws {
    let (first, second) = apps(pair)
    try await first.signIn(1, family: "1")
    await group.endpoint.response(second.response(2, family: "1"))
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

  @Test("With seeding enabled, ADAL 2.6 is silent after MSAL", arguments: [true, false])
  func seeded(sharesClient: Bool) async throws {
    let (first, second) = apps(
      Pair(first: .msal, second: .adal26, sharesClient: sharesClient), isSeeding: true)
    try await first.signIn(1, family: "1")
    await group.endpoint.response(second.response(2, family: "1"))
    #expect(try await second.users() == ["anna@contoso.com"])
    #expect(try await second.silent() == "at-2")
  }

  @Test("After the first app signs out, a second app that had a token is silent", arguments: Pair.all)
  func firstSignsOut(pair: Pair) async throws {
    guard pair.first != .msal || pair.second != .adal26 else { return }
    let (first, second) = apps(pair)
    try await first.signIn(1, family: "1")
    await group.endpoint.response(second.response(2, family: "1"))
    _ = try await second.silent()
    try await first.signOut()
    #expect(try await first.users().isEmpty)
    #expect(try await second.users() == ["anna@contoso.com"])
    #expect(try await second.silent() == "at-2")
    let error = await #expect(throws: SecretStoreError.self) { try await first.silent() }
    #expect(error?.code == .interactionRequired)
  }

  @Test(
    "After the first app signs out, a second app that never had a token needs the user", arguments: Pair.all)
  func nothingLeft(pair: Pair) async throws {
    let (first, second) = apps(pair)
    try await first.signIn(1, family: "1")
    try await first.signOut()
    #expect(try await second.users().isEmpty)
    let error = await #expect(throws: SecretStoreError.self) { try await second.silent() }
    #expect(error?.code == .interactionRequired)
  }

  @Test("Clients in no family do not share tokens", arguments: Pair.all.filter { !$0.sharesClient })
  func clientsOutsideFamily(pair: Pair) async throws {
    let (first, second) = apps(pair)
    try await first.signIn(1, family: nil)
    #expect(try await second.users().isEmpty)
    let error = await #expect(throws: SecretStoreError.self) { try await second.silent() }
    #expect(error?.code == .interactionRequired)
  }

  @Test("A signed-out app stays signed out after it migrates to another library", arguments: Pair.all)
  func moved(pair: Pair) async throws {
    let before = LibraryApp(group: group, library: pair.first, name: "app")
    let after = LibraryApp(group: group, library: pair.second, name: "app")
    let sibling = LibraryApp(group: group, library: .adal27, name: "sibling")
    try await before.signIn(1, family: "1")
    await group.endpoint.response(sibling.response(2, family: "1"))
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
