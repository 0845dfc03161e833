// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Taking up a sign-in of ADAL's beside others")
struct TakingUpElsewhereTests {
  private let group = SharedGroup()

  @Test("A single-account app sees that the user has changed, and that one who is taken up has not")
  func currentAccount() async throws {
    let mail = try group.app("mail")
    try await group.plant(Person.anna.legacyRefreshToken())
    #expect(try await mail.currentAccount().hasChanged)
    #expect(try await mail.currentAccount().hasChanged == false)
    try await group.backend.remove(.legacy(Person.anna.legacyRefreshToken()))
    try await group.plant(Person.boris.legacyRefreshToken())
    #expect(try await mail.currentAccount().hasChanged)
  }
}
