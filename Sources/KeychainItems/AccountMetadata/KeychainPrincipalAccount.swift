// SPDX-License-Identifier: MIT

import StrictJSON

/// The account that a single-account client is signed in to.
///
/// The description is redacted.
public struct KeychainPrincipalAccount: Sendable, Hashable {
  /// The account ID, `uid.utid` in Azure AD.
  public var homeAccountID: String
  /// The user name, where it is known.
  public var username: String?
  /// The account's host, where it is known.
  public var environment: String?

  /// Creates a principal account.
  public init(homeAccountID: String, username: String? = nil, environment: String? = nil) {
    self.homeAccountID = homeAccountID
    self.username = username
    self.environment = environment
  }

  /// Reads the principal account from account metadata; returns `nil` when there is none.
  init?(_ fields: JSONObject) {
    guard let identifier = fields["principal_home_account_id"]?.stringValue else { return nil }
    self.init(
      homeAccountID: identifier, username: fields["principal_username"]?.stringValue,
      environment: fields["principal_account_environment"]?.stringValue)
  }
}

extension KeychainPrincipalAccount: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "KeychainPrincipalAccount(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
