// SPDX-License-Identifier: MIT

/// Which records to read: those of one kind whose values are the ones given.
public struct RecordQuery: Hashable, Sendable {
  /// The kind of record.
  public let kind: RecordKind
  /// The account in its stored form, or `nil` for any.
  public let account: String?
  /// The canonical environment, or `nil` for any.
  public let environment: String?
  /// The client, or `nil` for any.
  public let clientID: String?

  private init(kind: RecordKind, account: String?, environment: String?, clientID: String?) {
    self.kind = kind
    self.account = account
    self.environment = environment
    self.clientID = clientID
  }

  /// Every record of a kind.
  public static func all(_ kind: RecordKind) -> RecordQuery {
    RecordQuery(kind: kind, account: nil, environment: nil, clientID: nil)
  }

  /// The records of what is known of a client without an account, one for each environment.
  public static func client(_ clientID: String) -> RecordQuery {
    RecordQuery(kind: .client, account: nil, environment: nil, clientID: RecordKey.storedClient(clientID))
  }

  /// The records of a client's tokens, one for each account and environment.
  public static func credentials(ofClient clientID: String) -> RecordQuery {
    RecordQuery(
      kind: .credentials, account: nil, environment: nil, clientID: RecordKey.storedClient(clientID))
  }

  /// The records of ADAL's items of a client; of a family's, whose client is `foci-` and its id.
  static func legacy(ofClient clientID: String) -> RecordQuery {
    RecordQuery(
      kind: .legacy, account: nil, environment: nil, clientID: RecordKey.storedClient(clientID))
  }

  /// The records of a kind that belong to an account.
  public static func all(
    _ kind: RecordKind, homeAccountID: String, environment: String? = nil, clientID: String? = nil
  ) -> RecordQuery {
    RecordQuery(
      kind: kind, account: RecordKey.storedAccount(homeAccountID),
      environment: environment.map(CloudEnvironment.canonical),
      clientID: clientID.map(RecordKey.storedClient))
  }

  /// Whether a record of the key is one of those asked for.
  public func matches(_ key: RecordKey) -> Bool {
    key.kind == kind && (account ?? key.account) == key.account
      && (environment ?? key.environment) == key.environment && (clientID ?? key.clientID) == key.clientID
  }
}
