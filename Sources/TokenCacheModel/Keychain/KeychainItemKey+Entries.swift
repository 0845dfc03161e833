// SPDX-License-Identifier: MIT

extension KeychainItemKey {
  /// The key of a credential.
  ///
  /// A refresh token that belongs to a family stands under the family instead of its client. An access token
  /// bound to a scheme ends in the scheme, one for a single app of several that share a client contains the
  /// app's identifier, and one issued for claims ends in seven digits of their digest.
  public init(of credential: CredentialEntry) {
    let name = KeychainCredentialName(of: credential)
    self.init(
      account: KeychainText.account(credential.homeAccountID, environment: credential.environment),
      service: name.service, generic: name.generic, type: credential.kind.keychainType)
  }

  /// The key of an account in one tenant.
  ///
  /// Its type follows from `authority_type`, see ``KeychainAccountType``.
  public init(of account: AccountEntry) {
    self.init(
      account: KeychainText.account(account.homeAccountID, environment: account.environment),
      service: KeychainText.normalized(account.realm),
      generic: account.fields["username"]?.stringValue.map(KeychainText.normalized),
      type: KeychainAccountType(authorityType: account["authority_type"]).keychainType)
  }

  /// The key of what is known of a client.
  ///
  /// The environment and the family stand as they are. The family is part of the key, empty when the client
  /// is known to be in none, but does not name the item.
  public init(of metadata: AppMetadataEntry) {
    self.init(
      account: metadata.environment,
      service: KeychainText.appMetadataService(metadata.clientID),
      generic: metadata.fields["family_id"]?.stringValue, type: Self.appMetadataType)
  }

  /// The key of what a client knows of its accounts: who is signed in, and which authority stands for which.
  ///
  /// There is one such item for each client, which stands under the client's id as it is.
  public init(accountMetadataOf clientID: String) {
    self.init(
      account: Self.accountMetadataAccount, service: clientID, type: Self.accountMetadataType)
  }

  /// The type of the items that say what is known of a client.
  static let appMetadataType = 3001

  /// The type of the items that say what a client knows of its accounts.
  static let accountMetadataType = 5001

  /// The account under which all items of ``accountMetadataType`` stand.
  static let accountMetadataAccount = "authority_map"
}
