// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON

/// The key of a record in a group: the values by which a back end finds it.
///
/// The values are identifiers only and may be stored in clear text. An account ID other than Azure AD's `uid.utid` is
/// often an e-mail address and is therefore replaced by its SHA-256. A part that doesn't apply is empty.
public struct RecordKey: Hashable, Sendable, Codable {
  /// The kind of record.
  public let kind: RecordKind
  /// The account ID in its stored form; see ``storedAccount(_:)``.
  public let account: String
  /// The canonical host of the account's cloud, or its ``Issuer``.
  public let environment: String
  /// The client ID.
  public let clientID: String
  /// The ID of the family of clients.
  public let familyID: String
  /// A name that tells apart records of one kind when the other parts don't.
  public let key: String

  /// Creates a key from its stored values, for back ends that read them back.
  ///
  /// Other callers use the factory methods, which convert each value to its stored form.
  public init(
    kind: RecordKind, account: String = "", environment: String = "", clientID: String = "",
    familyID: String = "", key: String = ""
  ) {
    self.kind = kind
    self.account = account
    self.environment = environment
    self.clientID = clientID
    self.familyID = familyID
    self.key = key
  }

  /// Returns whether all parts have the same bytes.
  ///
  /// `String` compares by canonical equivalence, and a store does not: IDs that only look alike are two.
  public static func == (left: RecordKey, right: RecordKey) -> Bool {
    left.kind == right.kind && JSONText.equal(left.account, right.account)
      && JSONText.equal(left.environment, right.environment)
      && JSONText.equal(left.clientID, right.clientID) && JSONText.equal(left.familyID, right.familyID)
      && JSONText.equal(left.key, right.key)
  }

  /// Hashes the bytes of all parts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    JSONText.hash(account, into: &hasher)
    JSONText.hash(environment, into: &hasher)
    JSONText.hash(clientID, into: &hasher)
    JSONText.hash(familyID, into: &hasher)
    JSONText.hash(key, into: &hasher)
  }

  /// Whether the clients of the record's account share refresh tokens by family.
  package var hasFamilies: Bool { HomeAccountID(account).hasFamilies(at: environment) }

  /// Whether no part holds a control character.
  package var isValid: Bool {
    [account, environment, clientID, familyID, key].allSatisfy { !$0.hasUnsafeCharacter }
  }

  /// Returns the key of an account's tokens for a client.
  public static func credentials(homeAccountID: String, environment: String, clientID: String) -> RecordKey {
    RecordKey(
      kind: .credentials, account: storedAccount(homeAccountID),
      environment: CloudEnvironment.canonical(environment), clientID: storedClient(clientID))
  }

  /// Returns the key of an account's refresh token for a family of clients.
  public static func family(homeAccountID: String, environment: String, familyID: String) -> RecordKey {
    RecordKey(
      kind: .family, account: storedAccount(homeAccountID),
      environment: CloudEnvironment.canonical(environment), familyID: familyID)
  }

  /// Returns the key of a client's data that belongs to no account.
  public static func client(_ clientID: String, environment: String) -> RecordKey {
    RecordKey(
      kind: .client, environment: CloudEnvironment.canonical(environment), clientID: storedClient(clientID))
  }

  /// Returns the key of a record that belongs to the group as a whole.
  public static func groupData(_ key: String) -> RecordKey { RecordKey(kind: .groupData, key: key) }

  /// The record of the last removal of the group's accounts or tokens.
  package static let wipe = groupData("wipe")

  /// The key of the record of an app's own secret: a digest, which does not reveal the service or account.
  package static func secret(service: String, account: String) -> RecordKey {
    RecordKey(kind: .secret, key: Digest.hex("\(service.utf8.count):\(service)\(account)"))
  }

  /// Returns the stored form of an account ID: `uid.utid` in lower case, the SHA-256 of any other ID.
  ///
  /// Outside Azure AD, IDs are compared exactly (OpenID Connect Core 1.0 section 2: `sub` is case-sensitive).
  public static func storedAccount(_ homeAccountID: String) -> String { HomeAccountID(homeAccountID).stored }

  /// Returns the stored form of a client ID: a GUID in lower case, any other ID unchanged.
  package static func storedClient(_ clientID: String) -> String {
    let lower = clientID.lowercased()
    return HomeAccountID.isGUID(lower[...]) ? lower : clientID
  }
}
