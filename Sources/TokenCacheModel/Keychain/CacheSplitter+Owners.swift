// SPDX-License-Identifier: MIT

/// Which records own what is saved one by one: those that an import deals it to.
extension CacheSplitter {
  /// The records that hold an account: those of every client that has a token of it.
  static func owners(of account: AccountEntry) -> RecordQuery {
    .all(.credentials, homeAccountID: account.homeAccountID, environment: account.environment)
  }

  /// Whether a record of a client's holds what is known of the client: that of each of its accounts does.
  static func isOwner(_ record: RecordKey, of metadata: AppMetadataEntry) -> Bool {
    let client = RecordKey.client(metadata.clientID, environment: metadata.environment)
    return record.kind == .credentials && record.clientID == client.clientID
      && record.environment == client.environment
  }
}
