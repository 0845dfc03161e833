// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension TokenCacheContract {
  /// Contents that another program or a fault can leave in a record.
  private static let foreignContents: [(name: String, bytes: [UInt8])] = [
    ("text that is no JSON", Array("hello".utf8)),
    ("bytes that are no UTF-8", [0x7B, 0xFF, 0xFE, 0x7D]),
    ("JSON of another shape", Array("[1,2]".utf8)),
    ("a section of another shape", Array("{\"AccessToken\":5}".utf8)),
    ("a cut document", Array("{\"AccessToken\":{\"a\"".utf8)),
    ("another program's cache", Array("{\"AccessToken\":{}}".utf8)),
    ("another record's document", Array("{\"SecretStoreCache\":{\"record\":{\"kind\":\"client\"}}}".utf8)),
  ]

  static let hostileCases: [ContractCase] =
    foreignContents.map { content in
      ContractCase(
        "\(content.name) in a record's place is a corrupt item, and no write replaces it", .unreadableRecords
      ) {
        environment in
        let document = try Samples.document("new")
        try await environment.storeRaw(content.bytes, Samples.key)
        try await environment.settle()
        let record = try await environment.backend.record(for: Samples.key)
        try await expect(.corruptItem, "reading") { _ = try record?.document() }
        try await expect(.corruptItem, "writing") {
          try await environment.backend.update(Samples.key) { $0 = document }
        }
        let listed = try await environment.other.records(matching: .all(.credentials))
        try expect(listed.map(\.key), is: [Samples.key], "the listed keys")
        try await expect(.corruptItem, "listing") { _ = try listed.first?.document() }
        try await environment.backend.remove(Samples.key)
        try await environment.backend.update(Samples.key) { $0 = document }
        try expect(
          try await environment.other.record(for: Samples.key)?.document().note, is: "new",
          "after the item was removed")
      }
    } + [
      ContractCase("an item without content is not stored, and a write fills it", .emptyContent) {
        environment in
        try await environment.storeRaw([], Samples.key)
        try await environment.settle()
        try expect(try await environment.backend.record(for: Samples.key) == nil, is: true, "absence")
        try expect(try await environment.other.records(matching: .all(.credentials)).count, is: 0, "records")
        let document = try Samples.document("new")
        let wasAbsent = try await environment.backend.update(Samples.key) { stored in
          defer { stored = document }
          return stored == nil
        }
        try expect(wasAbsent, is: true, "absence in a change")
        try await environment.settle()
        try expect(
          try await environment.other.record(for: Samples.key)?.document().note, is: "new", "content")
      },
      ContractCase("an unreadable record hides no other record", .unreadableRecords) { environment in
        let cache = try Samples.cache(environment.backend)
        try await cache.save(try Samples.response(scope: "mail.read"), scopes: ["mail.read"])
        let unreadable = RecordKey.credentials(
          homeAccountID: Samples.homeAccountID, environment: "login.windows.net", clientID: "other")
        try await environment.storeRaw(Array("nonsense".utf8), unreadable)
        try expect(try await cache.accounts().map(\.username), is: ["ada@contoso.com"], "accounts")
      },
    ]
}
