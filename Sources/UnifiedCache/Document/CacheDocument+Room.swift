// SPDX-License-Identifier: MIT

package import FoundationEssentials
package import KeychainGroupModel
import StrictJSON

extension CacheDocument {
  /// The size up to which a new token is added without removing others.
  ///
  /// It leaves a part of ``maximumBytes`` for what this package's own section grows by.
  static let roomyBytes = 1_500_000
  /// The size up to which a new refresh token is added without removing tokens that are valid.
  static let fullBytes = 1_570_000

  /// The error of a document that is too large for a record.
  package static var tooLarge: SecretStoreError {
    SecretStoreError(.invalidArgument, "The record is larger than \(maximumBytes) bytes.")
  }

  /// Removes access tokens of a document that is too large for a record: expired ones first, and if that is not enough,
  /// also valid ones.
  package mutating func makeRoom(at now: Date) {
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
    let tokens = self[.accessToken].compactMap { name, value -> (date: Date, name: String, bytes: Int)? in
      guard let token = CredentialEntry(value, section: .accessToken), token.kind.isAccessToken, fits(token)
      else { return nil }
      return (token.expiresOn ?? .distantPast, name, JSONValue.byteCount(of: name, value))
    }
    var removed: Set<JSONText> = []
    for token in tokens.sorted(by: { ($0.date, $0.name) < ($1.date, $1.name) }) where excess > 0 {
      removed.insert(JSONText(token.name))
      excess -= token.bytes
    }
    self[.accessToken].removeAll { name, _ in removed.contains(JSONText(name)) }
    return byteCount <= bytes
  }

  /// The number of bytes of the serialized document.
  var byteCount: Int { JSONValue.object(root).byteCount }

  /// Whether an imported document fits into a record, with tokens that are no larger than a response's may be.
  package var fitsRecord: Bool {
    var written = self
    written.metadata.revision = 1 << 30
    return written.storedBytes <= Self.maximumBytes
      && credentials.allSatisfy { $0.secret.utf8.count <= TokenResponse.maximumTokenBytes }
  }

  /// Throws `storageFailed` where the record has no room for the refresh token of a response and what else a save adds,
  /// without an access token.
  ///
  /// The stored refresh token may be spent once it is sent.
  package func requireRoom() throws(SecretStoreError) {
    var emptied = self
    emptied.removeCredentials { $0.kind.isAccessToken }
    if emptied.storedBytes > Self.maximumBytes - Self.savedBytes {
      throw SecretStoreError(
        .storageFailed,
        "The account's record has no room for a new refresh token, so that none was requested.")
    }
  }

  /// The number of bytes that a save adds at most, where tokens have common sizes.
  private static let savedBytes = 16_000

  /// An upper bound of the document's stored size, because a back end may escape the braces in strings.
  private var storedBytes: Int {
    var json = serialized()
    defer { json.wipe() }
    return JSONBraces.escapedCount(json) + 512
  }
}
