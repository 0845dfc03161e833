// SPDX-License-Identifier: MIT

/// The owner of the credentials that a query matches: a client, a family, or both.
///
/// A family refresh token belongs to the family, whichever client wrote it last.
package enum ClientMatch: Sendable, Hashable {
  /// Any owner.
  case any
  /// Credentials that were issued to a client and belong to no family.
  case client(String)
  /// Credentials that belong to a family of clients.
  case family(String)
  /// Credentials that were issued to a client or belong to a family.
  case clientOrFamily(client: String, family: String)

  func matches(_ entry: CredentialEntry) -> Bool {
    switch self {
    case .any: true
    case .client(let client): entry.familyID == nil && Self.isIssued(entry, to: client)
    case .family(let family): Self.belongs(entry, to: family)
    case .clientOrFamily(let client, let family):
      Self.isIssued(entry, to: client) || Self.belongs(entry, to: family)
    }
  }

  private static func isIssued(_ entry: CredentialEntry, to client: String) -> Bool {
    RecordKey.storedClient(entry.clientID) == RecordKey.storedClient(client)
  }

  private static func belongs(_ entry: CredentialEntry, to family: String) -> Bool {
    entry.familyID?.lowercased() == family.lowercased()
  }
}
