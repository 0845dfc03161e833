// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON

extension CacheDocument {
  /// The size up to which a new token is added without removing others.
  ///
  /// It leaves a part of ``maximumBytes`` for this package's own section and for what a back end escapes.
  private static let roomyBytes = 1_500_000

  /// Removes expired access tokens, the oldest first, until the document is small enough for its record.
  ///
  /// - Returns: Whether it is.
  mutating func makeRoom(at now: Date) -> Bool {
    var excess = byteCount - Self.roomyBytes
    if excess <= 0 { return true }
    let expired = credentials.filter { $0.kind.isAccessToken && $0.isExpired(at: now) }
      .map { (date: $0.expiresOn ?? .distantPast, bytes: $0.secret.utf8.count) }
    var newest: Date?
    for token in expired.sorted(by: { $0.date < $1.date }) where excess > 0 {
      newest = token.date
      excess -= token.bytes
    }
    guard let newest else { return false }
    removeCredentials {
      $0.kind.isAccessToken && $0.isExpired(at: now) && $0.expiresOn ?? .distantPast <= newest
    }
    return byteCount <= Self.roomyBytes
  }

  /// The size without escapes; serializing would leave a copy of the tokens in memory.
  private var byteCount: Int { JSONValue.object(root).byteCount }
}

extension JSONValue {
  fileprivate var byteCount: Int {
    switch self {
    case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.byteCount }
    case .array(let elements): elements.reduce(2) { $0 + 1 + $1.byteCount }
    case .string(let text): text.utf8.count + 2
    case .number(let number): number.literal.utf8.count
    case .bool, .null: 5
    }
  }
}
