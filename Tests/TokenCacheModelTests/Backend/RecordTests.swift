// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Record")
struct RecordTests {
  private let key = RecordKey.credentials(homeAccountID: "a", environment: "e", clientID: "c")

  private func bytes(writtenAs record: RecordKey?) -> [UInt8] {
    var document = CacheDocument()
    document.metadata.record = record
    return document.serialized()
  }

  @Test("A document written as this record is read")
  func reads() throws {
    let record = Record(key: key, bytes: bytes(writtenAs: key))
    #expect(try record.document().metadata.record == key)
  }

  @Test("A document of another program under this record's attributes throws corruptItem")
  func otherProgram() throws {
    for name in ["go.json", "node.json", "java-aad/full_cache.json"] {
      let record = Record(key: key, bytes: try Fixtures.bytes(name))
      #expect(throws: SecretStoreError(.corruptItem, "")) { try record.document() }
    }
    let unmarked = Record(key: key, bytes: bytes(writtenAs: nil))
    #expect(throws: SecretStoreError(.corruptItem, "")) { try unmarked.document() }
  }

  @Test("A document written as another record throws corruptItem")
  func moved() {
    for other in [
      RecordKey.credentials(homeAccountID: "b", environment: "e", clientID: "c"),
      .credentials(homeAccountID: "a", environment: "f", clientID: "c"),
      .credentials(homeAccountID: "a", environment: "e", clientID: "d"),
      .family(homeAccountID: "a", environment: "e", familyID: "1"),
    ] {
      let record = Record(key: key, bytes: bytes(writtenAs: other))
      #expect(throws: SecretStoreError(.corruptItem, "")) { try record.document() }
    }
  }

  @Test("Bytes that are no document throw corruptItem", arguments: ["", "[]", "hunter2", "{\"Account\":[]}"])
  func noDocument(_ text: String) throws {
    let record = Record(key: key, bytes: Array(text.utf8))
    let error = try #require(throws: SecretStoreError.self) { try record.document() }
    #expect(error.code == .corruptItem)
    #expect(!error.description.contains("hunter2"))
  }
}
