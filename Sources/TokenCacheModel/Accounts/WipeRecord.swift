// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// Who removed every account and token of a group, and when: what explains the next missing token.
public struct WipeRecord: Sendable, Hashable, CustomStringConvertible {
  private static let key = RecordKey.groupData("wipe")

  /// The app, as it named itself.
  public let app: String
  /// When it was.
  public let date: Date

  /// Reads a group's record.
  ///
  /// - Returns: The record, or `nil` when nobody ever removed everything.
  /// - Throws: `corruptItem` when the record can't be read, and whatever the back end throws.
  public static func read(from backend: any TokenCacheBackend) async throws -> WipeRecord? {
    guard let document = try await backend.record(for: key)?.document(),
      let app = document[member: "wiped_by"]?.stringValue,
      let date = UnixTime.date(document[member: "wiped_at"])
    else { return nil }
    return WipeRecord(app: app, date: date)
  }

  func write(to backend: any TokenCacheBackend) async throws {
    try await backend.update(Self.key) { stored in
      var document = stored ?? CacheDocument()
      document[member: "wiped_by"] = .string(app)
      document[member: "wiped_at"] = UnixTime.value(date)
      stored = document
    }
  }

  /// One sentence.
  public var description: String {
    "\(app) removed all accounts of the group on \(date.formatted(.iso8601))."
  }
}
