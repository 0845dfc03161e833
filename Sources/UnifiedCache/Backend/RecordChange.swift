// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The outcome of a change to a record: the rule that every back end's `update` follows.
///
/// ```swift
/// let (outcome, action) = try RecordChange.apply(change, to: stored, key: key)
/// switch action {
/// case .nothing: break
/// case .write(let document): try await write(document.serialized(), for: key)
/// case .remove: try await delete(key)
/// }
/// ```
public enum RecordChange: Sendable {
  /// The record stays as it is.
  case nothing
  /// The back end writes this document, whose revision is one higher than the stored one's.
  case write(CacheDocument)
  /// The back end removes the record.
  case remove

  /// Runs a change on the stored document and returns what the back end has to do.
  ///
  /// - Throws: What `change` throws; `invalidArgument` when a part of the key holds a control character, is not in its
  ///   stored form, or is one that the kind doesn't have, or when the document is larger than
  ///   ``CacheDocument/maximumBytes``.
  public static func apply<Outcome>(
    _ change: (inout CacheDocument?) throws -> Outcome, to stored: CacheDocument?, key: RecordKey
  ) throws -> (outcome: Outcome, action: RecordChange) {
    guard key.isValid else {
      throw SecretStoreError(
        .invalidArgument, "An identifier of the record holds a control character or too many combining marks."
      )
    }
    guard key == key.canonical else {
      throw SecretStoreError(.invalidArgument, "A part of the record's key is not in its stored form.")
    }
    var document = stored
    let outcome = try change(&document)
    guard document != stored else { return (outcome, .nothing) }
    guard var written = document else { return (outcome, .remove) }
    written.metadata.record = key
    written.metadata.revision = (stored?.metadata.revision ?? 0) + 1
    if let stored, written.writes != stored.writes { written.writes = stored.writes }
    guard written.byteCount <= CacheDocument.maximumBytes else { throw CacheDocument.tooLarge }
    return (outcome, .write(written))
  }
}
