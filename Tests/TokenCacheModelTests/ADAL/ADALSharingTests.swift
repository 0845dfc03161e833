// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Sharing with ADAL")
struct ADALSharingTests {
  private let group = SharedGroup()

  @Test("A cache and a directory of an app that asks for no sharing see no user of ADAL's")
  func offByDefault() async throws {
    #expect(!TokenCacheOptions().sharesWithADAL && !TokenCacheOptions().seedsADAL)
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = TokenCache(
      backend: group.backend, app: try SharedGroup.id("mail"), clientID: SharedGroup.suite,
      authority: try Authority(SharedGroup.azure), endpoint: group.endpoint)
    #expect(try await mail.accounts().isEmpty)
    #expect(try await AccountDirectory(backend: group.backend).accounts().isEmpty)
    let sharing = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    #expect(try await sharing.accounts().count == 1)
  }

  @Test("Turning one option on or off leaves the other")
  func options() {
    var options = TokenCacheOptions()
    options.seedsADAL = true
    #expect(!options.sharesWithADAL && options.seedsADAL)
    options.sharesWithADAL = true
    options.seedsADAL = false
    #expect(options.sharesWithADAL && !options.seedsADAL)
  }

  @Test(
    "A change of ADAL's item changes the account's fingerprint, in Microsoft's clouds and at other issuers",
    arguments: ["https://login.windows.net/common", "https://id.contoso.com/adfs"])
  func fingerprint(authority: String) async throws {
    func fingerprints(_ secret: String) async throws -> [AccountFingerprint] {
      try await group.store(TestUser.anna.legacyRefreshToken(secret, authority: authority))
      let records = try await group.backend.records(matching: .all(.legacy))
      let accounts = ADALStore.items(in: records).compactMap { Account($0.token, .shipped) }
      return AccountFingerprint.all(accounts, in: records, group.options.legacySignIns)
    }
    let (first, second) = (try await fingerprints("one"), try await fingerprints("two"))
    #expect(first.count == 1 && first[0].looksLike(second[0]))
    #expect(first.map(\.tokens) != second.map(\.tokens))
  }
}
