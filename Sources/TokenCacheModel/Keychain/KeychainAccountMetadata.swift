// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// What a client knows of its accounts: who is signed in, which authority stands for which, and whose turn it is.
///
/// There is one item of it for each client, see ``KeychainItemKey/init(accountMetadataOf:)``. It names accounts by
/// their ids alone; which environment is meant, ``KeychainView/environment`` says.
///
/// ```swift
/// let key = KeychainItemKey(accountMetadataOf: clientID)
/// var metadata = try await view.accountMetadata(for: key) ?? KeychainAccountMetadata(clientID: clientID)
/// var state = metadata[account.homeAccountID] ?? KeychainAccountState()
/// state.signInState = .signedOut
/// metadata[account.homeAccountID] = state
/// try await view.save(metadata)
/// ```
///
/// Members that this version doesn't know survive a rewrite. Its description shows none of it.
public struct KeychainAccountMetadata: Sendable, Hashable {
  static let map = "account_metadata_map"
  static let principalMembers = [
    "principal_home_account_id", "principal_username", "principal_account_environment",
  ]

  /// All members, under the names that MSAL for iOS and macOS gives them.
  public internal(set) var fields: JSONObject

  /// Makes metadata of a client that knows of no account.
  public init(clientID: String) { fields = ["client_id": .string(clientID)] }

  /// Makes metadata of its members, under the names that MSAL for iOS and macOS gives them.
  ///
  /// - Throws: `invalidArgument` when `client_id` is missing or blank.
  public init(fields: JSONObject) throws(SecretStoreError) {
    self.fields = fields
    try check()
  }

  /// The client.
  public var clientID: String { fields["client_id"]?.stringValue ?? "" }

  /// The accounts that the client knows of, sorted.
  public var homeAccountIDs: [String] { accounts.keys.filter { self[$0] != nil }.sorted() }

  /// What the client knows of an account; `nil` when it knows nothing.
  ///
  /// Azure AD's ids are found in any case.
  public subscript(homeAccountID: String) -> KeychainAccountState? {
    get { accounts[name(of: homeAccountID)]?.objectValue.map { KeychainAccountState(fields: $0) } }
    set {
      var members = newValue?.fields
      members?["client_id"] = .string(clientID)
      members?["home_account_id"] = .string(homeAccountID)
      accounts[name(of: homeAccountID)] = members.map(JSONValue.object)
    }
  }

  /// The account that a client which knows one at a time is signed in to; `nil` for nobody.
  public var principal: KeychainPrincipalAccount? {
    get { KeychainPrincipalAccount(fields) }
    set {
      fields["principal_home_account_id"] = newValue.map { .string($0.homeAccountID) }
      fields["principal_username"] = newValue?.username.map(JSONValue.string)
      fields["principal_account_environment"] = newValue?.environment.map(JSONValue.string)
    }
  }

  private var accounts: JSONObject {
    get { fields[Self.map]?.objectValue ?? [:] }
    set { fields[Self.map] = .object(newValue) }
  }

  /// The name under which an account stands.
  private func name(of homeAccountID: String) -> String {
    let compared = RecordKey.comparedAccount(homeAccountID)
    return accounts.keys.first { RecordKey.comparedAccount($0) == compared } ?? homeAccountID
  }

  /// Refuses blank ids, which must never mean "the first one".
  func check() throws(SecretStoreError) {
    let ids = [clientID] + accounts.keys + [principal?.homeAccountID].compactMap(\.self)
    if ids.contains(where: KeychainText.isBlank) {
      throw SecretStoreError(.invalidArgument, "The account metadata names a blank client or account.")
    }
  }
}

extension KeychainAccountMetadata: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "KeychainAccountMetadata(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
