// SPDX-License-Identifier: MIT

import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Client IDs that Swift takes for equal strings: they differ by their bytes, and so do the clients.
@Suite("Look-alike clients")
struct LookAlikeClientsTests {
  private let group = SharedGroup()

  @Test(
    "are listed, exported and replaced each for itself",
    arguments: [["K", "\u{212A}"], ["caf\u{E9}", "cafe\u{301}"], ["\u{C5}", "\u{212B}", "A\u{30A}"]])
  func apart(_ clients: [String]) async throws {
    var tokens: JSONObject = [:]
    for (number, client) in clients.enumerated() {
      tokens["\(number)"] = [
        "home_account_id": "1001", "environment": "id.contoso.com", "issuer": "https://id.contoso.com",
        "client_id": .string(client), "credential_type": "RefreshToken", "secret": .string("rt-\(number)"),
      ]
    }
    try await group.importing(["RefreshToken": .object(tokens)])
    let account = try #require(try await AccountDirectory(backend: group.backend).accounts().first)
    #expect(account.clients.count == clients.count)
    let transfer = CacheTransfer(backend: group.backend)
    let export = try await transfer.exportUnified().json
    let all = Set(clients.indices.map { "rt-\($0)" })
    #expect(try Set(CacheDocument(parsing: export).secrets(.refreshToken)) == all)
    var options = ImportOptions()
    options.replaces = true
    #expect(try await transfer.importUnified(export, options: options).removed == 0)
    #expect(
      try await Set(CacheDocument(parsing: transfer.exportUnified().json).secrets(.refreshToken)) == all)
  }
}
