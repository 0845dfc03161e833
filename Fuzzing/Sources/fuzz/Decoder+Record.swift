// SPDX-License-Identifier: MIT

@testable import UnifiedCache

extension Decoder {
  /// Checks a stored record.
  ///
  /// It must be readable only as the record that it was written as, and writable again.
  func checkRecord(_ bytes: [UInt8]) {
    let document = try? CacheDocument(parsing: bytes)
    let key = document?.metadata.record ?? .groupData("fuzzing")
    let record = Record(key: key, bytes: bytes)
    let content = try? record.document()
    expectNoSecret(of: bytes, in: record.content)
    let isReadable = document.map {
      $0.metadata.record != nil && $0.invalidEntries.isEmpty && !$0.hasUnreadableADALToken
    }
    expect(content == (isReadable == true ? document : nil), "a record holds its document")

    let other = RecordKey(
      kind: key.kind, account: key.account, environment: key.environment, clientID: key.clientID,
      familyID: key.familyID, key: key.key + "other")
    let moved = try? Record(key: other, bytes: bytes).document()
    expect(moved == nil, "a record that was moved is not readable")

    guard let content else { return }
    checkChange(of: content, key)
  }

  /// Checks a change that empties the record, as a back end applies it.
  private func checkChange(of content: CacheDocument, _ key: RecordKey) {
    let (_, action) = expectNoError("a change is applied") {
      try RecordChange.apply({ $0 = CacheDocument() }, to: content, key: key)
    }
    guard case .write(let written) = action else { return expect(false, "a change is written") }
    let reread = try? Record(key: key, bytes: written.serialized()).document()
    expect(reread == written, "what was written as a record can be read as that")
    expect(written.metadata.revision != content.metadata.revision, "a change counts")
  }
}
