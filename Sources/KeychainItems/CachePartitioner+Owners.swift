// SPDX-License-Identifier: MIT

import UnifiedCache

/// The records that own an entry that is saved on its own; an import chooses the same records.
extension CachePartitioner {
  /// Returns the query for the records that hold an account: those of every client with a token of the account.
  static func owners(of account: AccountEntry) -> RecordQuery {
    .all(.credentials, homeAccountID: account.homeAccountID, environment: account.environment)
  }

  /// Whether a record holds a client's metadata: the record of each of the client's accounts does.
  static func isOwner(_ record: RecordKey, of metadata: AppMetadataEntry) -> Bool {
    let client = RecordKey.client(metadata.clientID, environment: metadata.environment)
    return record.kind == .credentials && record.clientID == client.clientID
      && record.environment == client.environment
  }
}
