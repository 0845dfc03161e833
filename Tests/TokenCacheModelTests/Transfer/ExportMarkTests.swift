// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Marks on exported tokens")
struct ExportMarkTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func signIn(_ number: Int, claims: String? = nil, app: String? = nil) async throws {
    let mail = try group.app("mail") { $0.applicationIdentifier = app }
    _ = try await mail.save(
      TokenResponse(members: anna.response(number)), scopes: ["mail.read"], claims: claims)
  }

  private func export() async throws -> (tokens: [String: JSONObject], count: Int) {
    let export = try await CacheTransfer(backend: group.backend).exportUnified()
    let document = try CacheDocument(parsing: export.json)
    let tokens = document[.accessToken].compactMap { entry in
      entry.value.objectValue.map { (entry.key, $0) }
    }
    return (Dictionary(uniqueKeysWithValues: tokens), export.skippedByPeers)
  }

  @Test("Tokens for claims or for one app are marked with ext_cache_key and counted; plain ones are not")
  func marked() async throws {
    try await signIn(1, claims: #"{"a":1}"#)
    try await signIn(2, app: "com.contoso.mail")
    try await signIn(3)
    let export = try await export()
    #expect(export.count == 2)
    for (key, fields) in export.tokens {
      let isPlain = fields["secret"] == "at-3"
      #expect((fields["ext_cache_key"] == nil) == isPlain)
      #expect(key.contains("-atext-") != isPlain)
    }
    #expect(export.tokens.count == 3)
  }

  @Test("Importing an export changes nothing, since the mark is this library's own")
  func back() async throws {
    try await signIn(1, claims: #"{"a":1}"#)
    try await signIn(2, app: "com.contoso.mail")
    let transfer = CacheTransfer(backend: group.backend)
    let summary = try await transfer.importUnified(transfer.exportUnified().json)
    #expect(summary.added == 0 && summary.updated == 0)
    #expect(try await export().tokens.count == 2)
  }

  @Test("A peer's token with its own ext_cache_key is stored and returned only to calls that request it")
  func peers() async throws {
    try await signIn(1)
    let fields = EntryBuilder.fields(
      .accessToken, secret: "at-9",
      changing: [
        "home_account_id": .string(anna.identifier), "client_id": .string(SharedGroup.suite),
        "realm": .string(anna.utid), "target": "mail.read", "ext_cache_key": "abc", "cached_at": "1700000001",
        "expires_on": "1700009999",
      ])
    _ = try await CacheTransfer(backend: group.backend).importUnified(
      JSONObject(dictionaryLiteral: ("AccessToken", ["k": .object(fields)])).bytes)
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
    let export = try await export()
    #expect(export.count == 0)
    #expect(export.tokens.values.contains { $0["ext_cache_key"] == "abc" && $0["secret"] == "at-9" })
  }
}
