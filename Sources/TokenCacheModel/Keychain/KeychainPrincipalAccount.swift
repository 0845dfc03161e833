// SPDX-License-Identifier: MIT

/// The account that a client which knows one at a time is signed in to.
///
/// Its description shows none of it.
public struct KeychainPrincipalAccount: Sendable, Hashable {
  /// The account, `uid.utid` in Azure AD.
  public var homeAccountID: String
  /// What a person knows the account by, where it is known.
  public var username: String?
  /// The account's host, where it is known.
  public var environment: String?

  /// Makes a principal account.
  public init(homeAccountID: String, username: String? = nil, environment: String? = nil) {
    self.homeAccountID = homeAccountID
    self.username = username
    self.environment = environment
  }

  /// Reads the account of the members of account metadata; `nil` when they name none.
  init?(_ fields: JSONObject) {
    guard let identifier = fields["principal_home_account_id"]?.stringValue else { return nil }
    self.init(
      homeAccountID: identifier, username: fields["principal_username"]?.stringValue,
      environment: fields["principal_account_environment"]?.stringValue)
  }
}

extension KeychainPrincipalAccount: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "KeychainPrincipalAccount(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
