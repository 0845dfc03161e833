// SPDX-License-Identifier: MIT

/// What a change makes of a record: the rule that every back end's `update` follows.
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
  /// The record is to hold this document, one revision on.
  case write(CacheDocument)
  /// The record is to go.
  case remove

  /// Runs a change over what is stored and says what is to be done.
  ///
  /// - Throws: What `change` throws.
  public static func apply<Outcome>(
    _ change: (inout CacheDocument?) throws -> Outcome, to stored: CacheDocument?, key: RecordKey
  ) throws -> (outcome: Outcome, action: RecordChange) {
    var document = stored
    let outcome = try change(&document)
    guard document != stored else { return (outcome, .nothing) }
    guard var written = document else { return (outcome, .remove) }
    written.sharing.record = key
    written.sharing.revision = (stored?.sharing.revision ?? 0) + 1
    if let stored, written.writes != stored.writes { written.writes = stored.writes }
    return (outcome, .write(written))
  }
}
