// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension RecordKey {
  /// The key that records are stored under for the same values: each in its stored form, and no part that the kind
  /// doesn't have.
  ///
  /// Any program can write an item whose document spells its record in another way. Such an item is the record's, and
  /// has the attributes of another.
  package var canonical: RecordKey {
    let environment = CloudEnvironment.canonical(environment)
    let (account, client) = (Self.canonicalAccount(account), Self.storedClient(clientID))
    return switch kind {
    case .credentials:
      RecordKey(kind: kind, account: account, environment: environment, clientID: client)
    case .family:
      RecordKey(kind: kind, account: account, environment: environment, familyID: familyID)
    case .client: RecordKey(kind: kind, environment: environment, clientID: client)
    case .legacy:
      RecordKey(
        kind: kind, environment: environment, clientID: client, familyID: familyID, key: Self.digest(key))
    case .secret: RecordKey(kind: kind, key: Self.digest(key))
    case .groupData: RecordKey(kind: kind, key: key)
    case .group, .groupKey, .damaged: self
    }
  }

  fileprivate static func canonicalAccount(_ account: String) -> String {
    if account.isEmpty { return "" }
    return Digest.isDigest(account) ? account.lowercased() : storedAccount(account)
  }

  /// Returns a digest in lower case, and any other text unchanged.
  private static func digest(_ text: String) -> String { Digest.isDigest(text) ? text.lowercased() : text }
}

extension RecordQuery {
  /// The query with each value in its stored form.
  package var canonical: RecordQuery {
    RecordQuery(
      kind: kind, account: account.map(RecordKey.canonicalAccount),
      environment: environment.map(CloudEnvironment.canonical), clientID: clientID.map(RecordKey.storedClient)
    )
  }
}
