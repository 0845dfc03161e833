// SPDX-License-Identifier: MIT

/// Whose credentials a query asks for: a client's, a family's, or both.
///
/// A family's refresh token belongs to the family, whichever client wrote it last.
public enum OwnerMatching: Sendable, Hashable {
  /// Anybody's.
  case any
  /// What was issued to a client and does not belong to a family.
  case client(String)
  /// What belongs to a family of clients.
  case family(String)
  /// What was issued to a client or belongs to a family.
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
