// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// Who removed accounts and tokens of a group last, and when: what explains the next missing token.
public struct WipeRecord: Sendable, Hashable, CustomStringConvertible {
  private static let key = RecordKey.groupData("wipe")

  /// The app, as it named itself.
  public let app: String
  /// When it was.
  public let date: Date
  /// Whether every account and token of the group was removed, rather than single tokens.
  public let isEverything: Bool

  init(app: String, date: Date, isEverything: Bool = true) {
    self.app = app
    self.date = date
    self.isEverything = isEverything
  }

  /// Reads a group's record.
  ///
  /// - Returns: The record, or `nil` when nobody ever removed anything that is worth a note.
  /// - Throws: `corruptItem` when the record can't be read, and whatever the back end throws.
  public static func read(from backend: any TokenCacheBackend) async throws -> WipeRecord? {
    guard let document = try await backend.record(for: key)?.document(),
      let app = document[member: "wiped_by"]?.stringValue,
      let date = UnixTime.date(document[member: "wiped_at"])
    else { return nil }
    let isEverything = document[member: "wiped_tokens_only"]?.boolValue != true
    return WipeRecord(app: app, date: date, isEverything: isEverything)
  }

  func write(to backend: any TokenCacheBackend) async throws {
    try await backend.update(Self.key) { stored in
      var document = stored ?? CacheDocument()
      document[member: "wiped_by"] = .string(app)
      document[member: "wiped_at"] = UnixTime.value(date)
      document[member: "wiped_tokens_only"] = isEverything ? nil : true
      stored = document
    }
  }

  /// One sentence.
  public var description: String {
    "\(app) removed \(isEverything ? "all accounts" : "tokens") of the group on \(date.formatted(.iso8601))."
  }
}
