// SPDX-License-Identifier: MIT

/// Somebody who has signed in: one home account in one environment, in all the tenants it was used in.
///
/// Its description names the identifier only: user names are personal data.
public struct Account: Sendable, Hashable {
  /// The home account id: `uid.utid` in Azure AD, the id token's `sub` elsewhere.
  ///
  /// Keep this one to find the account again; a user name can change.
  public let identifier: String
  /// What a person knows the account by; empty when the provider did not say.
  public let username: String
  /// The canonical host of the account's cloud or provider.
  public let environment: String
  /// The person's name, where the provider gave it.
  public let name: String?
  /// The clients that hold tokens for the account, sorted.
  public let clients: [String]
  /// The tenants that the account was used in, sorted.
  public let tenants: [String]
}

extension Account: CustomStringConvertible, CustomReflectable {
  /// The identifier and the environment.
  public var description: String { "Account(\(RecordKey.storedAccount(identifier)), \(environment))" }

  /// Shows the environment only.
  public var customMirror: Mirror { Mirror(self, children: ["environment": environment]) }
}
