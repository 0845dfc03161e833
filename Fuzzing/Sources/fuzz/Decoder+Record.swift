// SPDX-License-Identifier: MIT

import TokenCacheModel

extension Decoder {
  /// A stored record: it is readable as the record it was written as and no other, and can be written again.
  func checkRecord(_ bytes: [UInt8]) {
    let document = try? CacheDocument(parsing: bytes)
    let key = document?.sharing.record ?? .groupData("fuzzing")
    let record = Record(key: key, bytes: bytes)
    let content = try? record.document()
    expectNoSecret(of: bytes, in: record.content)
    expect(content == (document?.sharing.record == nil ? nil : document), "a record holds its document")

    let other = RecordKey(
      kind: key.kind, account: key.account, environment: key.environment, clientID: key.clientID,
      familyID: key.familyID, key: key.key + "other")
    let moved = try? Record(key: other, bytes: bytes).document()
    expect(moved == nil, "a record that was moved is not readable")

    guard let content else { return }
    checkChange(of: content, key)
  }

  /// Empties what is stored, as a change of a back end's would.
  private func checkChange(of content: CacheDocument, _ key: RecordKey) {
    let (_, action) = expectNoError("a change is applied") {
      try RecordChange.apply({ $0 = CacheDocument() }, to: content, key: key)
    }
    guard case .write(let written) = action else { return expect(false, "a change is written") }
    let reread = try? Record(key: key, bytes: written.serialized()).document()
    expect(reread == written, "what was written as a record can be read as that")
    expect(written.sharing.revision != content.sharing.revision, "a change counts")
  }
}
