// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON

extension CacheDocument {
  /// The size up to which a new token is added without removing others.
  ///
  /// It leaves a part of ``maximumBytes`` for this package's own section and for what a back end escapes.
  static let roomyBytes = 1_500_000
  /// The size up to which a new refresh token is added without removing tokens that are valid.
  static let fullBytes = 1_570_000

  /// Removes access tokens of a document that is too large for a record: expired ones first, and if that is not enough,
  /// also valid ones.
  mutating func makeRoom(at now: Date) {
    if makeRoom(within: Self.roomyBytes, byAccessTokens: { $0.isExpired(at: now) }) { return }
    _ = makeRoom(within: Self.fullBytes) { _ in true }
  }

  /// Removes access tokens that fit a condition, those that expire first before the others, until the document is small
  /// enough for its record.
  ///
  /// - Returns: Whether it is.
  mutating func makeRoom(within bytes: Int, byAccessTokens fits: (CredentialEntry) -> Bool) -> Bool {
    var excess = byteCount - bytes
    if excess <= 0 { return true }
    let tokens = credentials.filter { $0.kind.isAccessToken && fits($0) }
      .map { (date: $0.expiresOn ?? .distantPast, secret: $0.secret) }
    var removed: Set<String> = []
    for token in tokens.sorted(by: { ($0.date, $0.secret) < ($1.date, $1.secret) }) where excess > 0 {
      removed.insert(token.secret)
      excess -= token.secret.utf8.count
    }
    removeCredentials { $0.kind.isAccessToken && removed.contains($0.secret) }
    return byteCount <= bytes
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
