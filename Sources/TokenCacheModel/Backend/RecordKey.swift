// SPDX-License-Identifier: MIT

/// Which record of a group: the values by which a back end finds it.
///
/// They are identifiers only and may be stored in clear: an account id that is not Azure AD's `uid.utid` (it is
/// often an e-mail address) stands here as its SHA-256. A part that doesn't apply is empty.
public struct RecordKey: Hashable, Sendable {
  /// What kind of record it is.
  public let kind: RecordKind
  /// The account, or its digest.
  public let account: String
  /// The canonical host of the account's cloud.
  public let environment: String
  /// The client.
  public let clientID: String
  /// The family of clients.
  public let familyID: String
  /// What tells records of one kind apart otherwise.
  public let key: String

  /// Makes a key from its stored values, for back ends that read them back.
  ///
  /// Everybody else uses the named keys, which put each value in its stored form.
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

  /// The record of an account's tokens for a client.
  public static func credentials(homeAccountID: String, environment: String, clientID: String) -> RecordKey {
    RecordKey(
      kind: .credentials, account: storedAccount(homeAccountID),
      environment: CloudEnvironment.canonical(environment), clientID: storedClient(clientID))
  }

  /// The record of an account's refresh token for a family of clients.
  public static func family(homeAccountID: String, environment: String, familyID: String) -> RecordKey {
    RecordKey(
      kind: .family, account: storedAccount(homeAccountID),
      environment: CloudEnvironment.canonical(environment), familyID: familyID)
  }

  /// The record of what belongs to a client without an account.
  public static func client(_ clientID: String, environment: String) -> RecordKey {
    RecordKey(
      kind: .client, environment: CloudEnvironment.canonical(environment), clientID: storedClient(clientID))
  }

  /// A record of the group as a whole.
  public static func groupData(_ key: String) -> RecordKey { RecordKey(kind: .groupData, key: key) }

  /// The form in which an account id is stored: `uid.utid` in lower case as it is, anything else as its SHA-256.
  ///
  /// Outside Azure AD an id is compared exactly (OpenID Connect Core 1.0 section 2: `sub` is case-sensitive).
  public static func storedAccount(_ homeAccountID: String) -> String {
    let lower = homeAccountID.lowercased()
    return isAzureID(lower) ? lower : Digest.hex(homeAccountID)
  }

  /// The form in which account ids are compared: those that are stored alike are equal in it.
  static func comparedAccount(_ homeAccountID: String) -> String {
    let lower = homeAccountID.lowercased()
    return isAzureID(lower) ? lower : homeAccountID
  }

  /// The form in which a client id is stored: a GUID in lower case, anything else as it is.
  static func storedClient(_ clientID: String) -> String {
    let lower = clientID.lowercased()
    return isGUID(lower[...]) ? lower : clientID
  }

  /// Whether it is `uid.utid`, where `uid` is a GUID, with a policy behind it for B2C.
  static func isAzureID(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")) else { return false }
    let uid = text[..<dot]
    guard isGUID(text[bytes.index(after: dot)...]) else { return false }
    guard let end = bytes.index(bytes.startIndex, offsetBy: 36, limitedBy: dot), isGUID(uid[..<end])
    else { return false }
    let policy = uid[end...]
    return policy.isEmpty || policy.hasPrefix("-b2c_") && !policy.contains("@")
  }

  static func isGUID(_ text: Substring) -> Bool {
    var count = 0
    for byte in text.utf8 {
      let isRight =
        switch count {
        case 8, 13, 18, 23: byte == UInt8(ascii: "-")
        default:
          (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
      guard isRight, count < 36 else { return false }
      count += 1
    }
    return count == 36
  }
}
