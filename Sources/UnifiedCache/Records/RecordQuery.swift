// SPDX-License-Identifier: MIT

import StrictJSON

/// A query for the records of one kind whose values equal the given ones.
public struct RecordQuery: Hashable, Sendable {
  /// The kind of record.
  public let kind: RecordKind
  /// The account in its stored form, or `nil` for any.
  public let account: String?
  /// The canonical environment, or `nil` for any.
  public let environment: String?
  /// The client ID in its stored form, or `nil` for any.
  public let clientID: String?

  /// Creates a query from stored values.
  package init(kind: RecordKind, account: String?, environment: String?, clientID: String?) {
    self.kind = kind
    self.account = account
    self.environment = environment
    self.clientID = clientID
  }

  /// Returns a query for every record of a kind.
  public static func all(_ kind: RecordKind) -> RecordQuery {
    RecordQuery(kind: kind, account: nil, environment: nil, clientID: nil)
  }

  /// Returns a query for a client's data that belongs to no account: one record for each environment.
  public static func client(_ clientID: String) -> RecordQuery {
    RecordQuery(kind: .client, account: nil, environment: nil, clientID: RecordKey.storedClient(clientID))
  }

  /// Returns a query for a client's tokens: one record for each account and environment.
  public static func credentials(ofClient clientID: String) -> RecordQuery {
    RecordQuery(
      kind: .credentials, account: nil, environment: nil, clientID: RecordKey.storedClient(clientID))
  }

  /// Returns a query for a client's ADAL items.
  ///
  /// A family's items have the client ID `foci-` followed by the family ID.
  static func legacy(ofClient clientID: String) -> RecordQuery {
    RecordQuery(
      kind: .legacy, account: nil, environment: nil, clientID: RecordKey.storedClient(clientID))
  }

  /// Returns a query for the records of a kind that belong to an account.
  public static func all(
    _ kind: RecordKind, homeAccountID: String, environment: String? = nil, clientID: String? = nil
  ) -> RecordQuery {
    RecordQuery(
      kind: kind, account: RecordKey.storedAccount(homeAccountID),
      environment: environment.map(CloudEnvironment.canonical),
      clientID: clientID.map(RecordKey.storedClient))
  }

  /// Creates a query for the tokens of the account of another record's key: one record for each client.
  init(credentialsOfAccountIn key: RecordKey) {
    self.init(kind: .credentials, account: key.account, environment: key.environment, clientID: nil)
  }

  /// Returns whether the query asks for the record of a key.
  public func matches(_ key: RecordKey) -> Bool {
    func isSame(_ value: String?, _ part: String) -> Bool { value.map { JSONText.equal($0, part) } ?? true }
    return key.kind == kind && isSame(account, key.account) && isSame(environment, key.environment)
      && isSame(clientID, key.clientID)
  }
}
