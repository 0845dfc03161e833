// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// An account as the window shows it.
public struct Person: Sendable, Hashable, Identifiable {
  /// The account's identity: two values of one account have the same.
  public struct ID: Sendable, Hashable {
    let account: Account
  }

  /// The account, by which its inbox is chosen.
  public let id: ID
  /// The user's name, or what is known instead; never empty.
  public let name: String
  /// The user name, such as `ada@contoso.com`; empty when it is not known.
  public let username: String
  /// The tenant, or where there is none the provider.
  public let tenant: String

  /// Creates what the window shows of an account.
  public init(_ account: Account) {
    id = ID(account: account)
    name = DisplayText.first(account.name, account.username, account.identifier, "Unknown account")
    username = DisplayText.line(account.username)
    let provider = account.environment.split(separator: "://").last.map { $0.split(separator: "/")[0] }
    tenant = DisplayText.first(account.homeTenant, provider.map(String.init))
  }

  /// The line below the name: the user name, unless it is the name, and the tenant.
  public var detail: String {
    [username == name ? "" : username, tenant].filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// The user as a sentence names them.
  public var title: String { username.isEmpty ? name : username }
}
