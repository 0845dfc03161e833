// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// One record as a back end read it.
public struct Record: Sendable {
  /// Which record it is.
  public let key: RecordKey

  /// What it holds, or why that could not be read (`corruptItem`).
  ///
  /// One unreadable record must not hide its neighbours, so a list carries the failure where it belongs.
  public let content: Result<CacheDocument, SecretStoreError>

  /// What was worked out of it, for as long as somebody keeps it.
  let answers = KeptAnswers()

  /// Makes a record from the bytes that were stored.
  ///
  /// A document that was not written as this record, by a stranger or for another record, counts as
  /// unreadable.
  public init(key: RecordKey, bytes: [UInt8]) {
    self.key = key
    do throws(SecretStoreError) {
      let document = try CacheDocument(parsing: bytes)
      guard document.sharing.record == key else {
        throw SecretStoreError(
          .corruptItem, "The item's content was not written as the record it is stored as.")
      }
      self.content = .success(document)
    } catch {
      self.content = .failure(error)
    }
  }

  /// Makes a record of a document.
  public init(key: RecordKey, document: CacheDocument) {
    self.key = key
    self.content = .success(document)
  }

  /// The document.
  ///
  /// - Throws: `corruptItem` when it could not be read.
  public func document() throws(SecretStoreError) -> CacheDocument { try content.get() }
}
