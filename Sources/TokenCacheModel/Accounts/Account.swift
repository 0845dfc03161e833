// SPDX-License-Identifier: MIT

/// Somebody who has signed in: one home account in one environment, in all the tenants it was used in.
///
/// Two values are equal when they are the same account, whatever is known of it: by the identifier, and by the user
/// name where neither has one. Its description names the identifier only: user names are personal data.
public struct Account: Sendable {
  /// The home account id: `uid.utid` in Azure AD, the id token's `sub` elsewhere.
  ///
  /// It is empty for an account that ADAL has signed in and that no silent call has taken up yet; find that by its
  /// user name.
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
  /// The account in each tenant that it was used in, sorted by tenant.
  ///
  /// Outside Azure AD there is one, of the tenant that the authority's URL names.
  public let tenantProfiles: [TenantProfile]

  /// The tenants that the account was used in, sorted.
  public var tenants: [String] { tenantProfiles.map(\.tenant).filter { !$0.isEmpty } }

  /// The claims of the account's id token in its home tenant; `nil` where the client was issued none there.
  public var claims: IDTokenClaims? { tenantProfiles.first(where: \.isHome)?.claims }

  /// The id of the account's home tenant; `nil` outside Azure AD.
  public var homeTenant: String? {
    guard let dot = identifier.lastIndex(of: ".") else { return nil }
    let tenant = identifier[identifier.index(after: dot)...].lowercased()
    return RecordKey.isGUID(tenant[...]) ? tenant : nil
  }
}

extension Account {
  /// Makes an account that is kept outside of the group, for an ``ExternalAccountProvider``.
  ///
  /// - Parameters:
  ///   - identifier: The home account id; empty when it is not known.
  ///   - username: What a person knows the account by.
  ///   - environment: A host of the account's cloud or provider.
  ///   - name: The person's name, where it is known.
  public init(identifier: String, username: String, environment: String, name: String? = nil) {
    self.init(
      identifier: identifier, username: username, environment: CloudEnvironment.canonical(environment),
      name: name, clients: [], tenantProfiles: [])
  }

  /// This account with what a newer answer tells of it.
  func updated(from newer: Account) -> Account {
    let others = tenantProfiles.filter { old in
      !newer.tenantProfiles.contains { $0.tenant.lowercased() == old.tenant.lowercased() }
    }
    return Account(
      identifier: newer.identifier, username: newer.username, environment: newer.environment,
      name: newer.name,
      clients: Set(clients + newer.clients).sorted(),
      tenantProfiles: (others + newer.tenantProfiles).sorted {
        $0.tenant.lowercased() < $1.tenant.lowercased()
      })
  }
}

extension Account: Hashable {
  /// Whether the two are the same account of the same environment.
  public static func == (left: Account, right: Account) -> Bool {
    RecordKey.comparedAccount(left.identifier) == RecordKey.comparedAccount(right.identifier)
      && left.environment == right.environment
      && (!left.identifier.isEmpty || left.username.lowercased() == right.username.lowercased())
  }

  /// Hashes what makes two values the same account.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(RecordKey.comparedAccount(identifier))
    hasher.combine(environment)
  }
}

extension Account: CustomStringConvertible, CustomReflectable {
  /// The identifier and the environment.
  public var description: String { "Account(\(RecordKey.storedAccount(identifier)), \(environment))" }

  /// Shows the environment only.
  public var customMirror: Mirror { Mirror(self, children: ["environment": environment]) }
}
