// SPDX-License-Identifier: MIT

public import FoundationEssentials
import StrictJSON
public import UnifiedCache

/// A record of the last removal of a group's accounts or tokens, which explains missing tokens later.
public struct WipeRecord: Sendable, Hashable, CustomStringConvertible {
  package static let key = RecordKey.wipe

  /// The name that the app gave itself; in a stored record "An app" where it is empty, has a control character or more
  /// than 255 bytes.
  public let app: String
  /// The time of the removal.
  public let date: Date
  /// Whether every account and token of the group was removed, not only some tokens.
  public let isEverything: Bool

  /// Creates a record, for tests and previews of an app.
  public init(app: String, date: Date, isEverything: Bool = true) {
    self.app = app
    self.date = date
    self.isEverything = isEverything
  }

  /// Reads a group's record.
  ///
  /// - Returns: The record, or `nil` when no removal was ever recorded.
  /// - Throws: `corruptItem` when the record can't be read, and whatever the back end throws.
  public static func read(from backend: any TokenCacheBackend) async throws -> WipeRecord? {
    try await backend.record(for: key).map { try $0.document() }.flatMap(WipeRecord.init)
  }

  /// Reads the record of a document; `nil` where it has none.
  package init?(_ document: CacheDocument) {
    guard let app = document[member: "wiped_by"]?.stringValue,
      let date = UnixTime.date(document[member: "wiped_at"])
    else { return nil }
    let isEverything = document[member: "wiped_tokens_only"]?.boolValue != true
    self.init(app: DocumentMetadata.shown(app), date: date, isEverything: isEverything)
  }

  /// Returns whether the stored record can't be read.
  static func isDamaged(in backend: any TokenCacheBackend) async throws -> Bool {
    guard let stored = try await backend.record(for: key) else { return false }
    return (try? stored.document()) == nil
  }

  /// Writes the record over the previous one.
  ///
  /// - Parameter removesDamaged: Whether an unreadable previous record is removed first.
  package func write(to backend: any TokenCacheBackend, removesDamaged: Bool = false) async throws {
    if removesDamaged, try await Self.isDamaged(in: backend) { try await backend.remove(Self.key) }
    try await backend.update(Self.key) { stored in
      var document = stored ?? CacheDocument()
      document[member: "wiped_by"] = .string(app)
      document[member: "wiped_at"] = UnixTime.value(date)
      document[member: "wiped_tokens_only"] = isEverything ? nil : true
      stored = document
    }
  }

  /// The record as one sentence.
  public var description: String {
    "\(app) removed \(isEverything ? "all accounts" : "tokens") of the group on \(date.formatted(.iso8601))."
  }
}
