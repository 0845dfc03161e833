// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import StrictJSON
import UnifiedCache

/// A client's account metadata: sign-in states, resolved authorities and the principal account.
///
/// There is one such item for each client, see `KeychainItemKey/init(accountMetadataOf:)`. It names accounts by
/// their IDs alone; ``KeychainView/environment`` says which environment they are in.
///
/// ```swift
/// let key = KeychainItemKey(accountMetadataOf: clientID)
/// var metadata = try await view.accountMetadata(for: key) ?? KeychainAccountMetadata(clientID: clientID)
/// var state = metadata[account.identifier] ?? KeychainAccountState()
/// state.signInState = .signedOut
/// metadata[account.identifier] = state
/// try await view.save(metadata)
/// ```
///
/// Unknown members survive a rewrite. The description is redacted.
public struct KeychainAccountMetadata: Sendable, Hashable {
  static let map = "account_metadata_map"
  static let principalMembers = [
    "principal_home_account_id", "principal_username", "principal_account_environment",
  ]

  /// All members, under the names that MSAL for iOS and macOS uses.
  public internal(set) var fields: JSONObject

  /// Creates the metadata of a client without accounts.
  public init(clientID: String) { fields = ["client_id": .string(clientID)] }

  /// Creates metadata from its members, under the names that MSAL for iOS and macOS uses.
  ///
  /// - Throws: `invalidArgument` when `client_id` is missing or blank, an account ID is blank, or an ID or the
  ///   principal account's environment holds a control character.
  public init(fields: JSONObject) throws(SecretStoreError) {
    self.fields = fields
    try check()
  }

  /// The client ID.
  public var clientID: String { fields["client_id"]?.stringValue ?? "" }

  /// The IDs of the accounts with metadata, sorted.
  public var homeAccountIDs: [String] { accounts.keys.filter { self[$0] != nil }.sorted() }

  /// The metadata of an account; `nil` when there is none.
  ///
  /// Azure AD's IDs are compared without regard to case.
  public subscript(homeAccountID: String) -> KeychainAccountState? {
    get { accounts[name(of: homeAccountID)]?.objectValue.map { KeychainAccountState(fields: $0) } }
    set { update([homeAccountID]) { _, _ in newValue } }
  }

  /// Changes the metadata of several accounts.
  ///
  /// - Parameter change: Returns the new metadata for an account's ID and its present metadata. It is called in the
  ///   order of the IDs.
  mutating func update(
    _ homeAccountIDs: [String], _ change: (String, KeychainAccountState?) -> KeychainAccountState?
  ) {
    var accounts = accounts
    var names: [String: String] = [:]
    for name in accounts.keys {
      let compared = HomeAccountID(name).compared
      if names[compared] == nil { names[compared] = name }
    }
    for identifier in homeAccountIDs {
      let compared = HomeAccountID(identifier).compared
      let name = accounts[identifier] == nil ? names[compared] ?? identifier : identifier
      let known = accounts[name]?.objectValue.map { KeychainAccountState(fields: $0) }
      var members = change(identifier, known)?.fields
      members?["client_id"] = .string(clientID)
      members?["home_account_id"] = .string(identifier)
      accounts[name] = members.map(JSONValue.object)
      if members != nil && names[compared] == nil { names[compared] = name }
    }
    self.accounts = accounts
  }

  /// The account that a single-account client is signed in to; `nil` for none.
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

  /// Returns the ID under which an account is stored; the given ID when it is not.
  private func name(of homeAccountID: String) -> String {
    let accounts = accounts
    if accounts[homeAccountID] != nil { return homeAccountID }
    let compared = HomeAccountID(homeAccountID).compared
    return accounts.keys.first { HomeAccountID($0).compared == compared } ?? homeAccountID
  }

  /// Refuses blank IDs, which must never mean "the first one", and IDs and hosts with a control character.
  func check() throws(SecretStoreError) {
    let ids = [clientID] + accounts.keys + [principal?.homeAccountID].compactMap(\.self)
    if ids.contains(where: KeychainText.isBlank) {
      throw SecretStoreError(.invalidArgument, "The account metadata names a blank client or account.")
    }
    if (ids + [principal?.environment].compactMap(\.self)).contains(where: \.hasUnsafeCharacter) {
      throw SecretStoreError(
        .invalidArgument,
        "A client, an account or a host of the metadata holds a control character or too many combining marks."
      )
    }
  }
}

extension KeychainAccountMetadata: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "KeychainAccountMetadata(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
