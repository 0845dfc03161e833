// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// One record, as a back end read it.
public struct Record: Sendable {
  /// The key of the record.
  public let key: RecordKey

  /// The content, or the error when it could not be read (`corruptItem`).
  ///
  /// A list carries the error with the record, so that one unreadable record does not hide the others.
  public let content: Result<CacheDocument, SecretStoreError>

  /// The record that the content was written as, whether or not it can be read as the record of ``key``; `nil` when it
  /// states none.
  package let statedKey: RecordKey?

  /// What a caller has derived from the record.
  ///
  /// It is dropped with the record.
  package let derived = DerivedValue()

  /// Creates a record from its stored bytes.
  ///
  /// The record is unreadable when its bytes are no valid document or more than ``CacheDocument/maximumBytes``, when
  /// the document was written under another key or by a foreign program, when an identifier holds a control character,
  /// when its ADAL token can't be read, or when it is the secret of another service or account.
  public init(key: RecordKey, bytes: [UInt8]) {
    self.key = key
    let document: Result<CacheDocument, SecretStoreError>
    do throws(SecretStoreError) {
      document = .success(try CacheDocument(stored: bytes))
    } catch {
      document = .failure(error)
    }
    statedKey = (try? document.get())?.metadata.record
    content = document.flatMap { document in
      if document.metadata.record != key {
        return .failure(
          SecretStoreError(
            .corruptItem, "The item's content was not written as the record it is stored as."))
      }
      if document.holdsSecret(of: key) { return .success(document) }
      return .failure(
        SecretStoreError(.corruptItem, "The item's content is the secret of another service or account."))
    }
  }

  /// Creates a record whose content could not be read.
  package init(key: RecordKey, unreadable reason: String) {
    self.key = key
    statedKey = nil
    content = .failure(SecretStoreError(.corruptItem, reason))
  }

  /// Creates a record from a document.
  public init(key: RecordKey, document: CacheDocument) {
    self.key = key
    statedKey = document.metadata.record
    self.content = .success(document)
  }

  /// Returns the document.
  ///
  /// - Throws: `corruptItem` when it could not be read.
  public func document() throws(SecretStoreError) -> CacheDocument { try content.get() }
}
