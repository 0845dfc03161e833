// SPDX-License-Identifier: MIT

import StrictJSON
public import UnifiedCache

extension KeychainItemKey {
  /// Creates the key of a credential.
  ///
  /// A family's refresh token has the family in place of the client. The service of an access token contains the
  /// app's identifier if it is for one of several apps of a client. It ends in the authentication scheme if the
  /// token is bound to one, followed by seven digits of the claims' digest if it was issued for claims.
  public init(of credential: CredentialEntry) {
    let name = KeychainCredentialName(of: credential)
    self.init(
      account: KeychainText.account(credential.homeAccountID, environment: credential.environment),
      service: name.service, generic: name.generic, type: credential.kind.keychainType)
  }

  /// Creates the key of an account in one tenant.
  ///
  /// Its type follows from `authority_type`, see ``KeychainAccountType``.
  public init(of account: AccountEntry) {
    self.init(
      account: KeychainText.account(account.homeAccountID, environment: account.environment),
      service: KeychainText.normalized(account.realm),
      generic: account.fields["username"]?.stringValue.map(KeychainText.normalized),
      type: KeychainAccountType(authorityType: account["authority_type"]).keychainType)
  }

  /// Creates the key of a client's metadata.
  ///
  /// The environment and the family are used as they are. The family is the generic attribute, empty when the
  /// client is known to be in none. It is part of the key but does not name the item.
  public init(of metadata: AppMetadataEntry) {
    self.init(
      account: metadata.environment,
      service: KeychainText.appMetadataService(metadata.clientID),
      generic: metadata.fields["family_id"]?.stringValue, type: Self.appMetadataType)
  }

  /// Creates the key of a client's account metadata: its sign-in states and resolved authorities.
  ///
  /// There is one such item for each client. Its service is the client ID as it is.
  public init(accountMetadataOf clientID: String) {
    self.init(
      account: Self.accountMetadataAccount, service: clientID, type: Self.accountMetadataType)
  }

  /// The type of the items with a client's metadata.
  static let appMetadataType = 3001

  /// The type of the items with a client's account metadata.
  static let accountMetadataType = 5001

  /// The account attribute of all items of ``accountMetadataType``.
  static let accountMetadataAccount = "authority_map"
}
