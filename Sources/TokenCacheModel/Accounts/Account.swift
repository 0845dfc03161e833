// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
public import UnifiedCache

/// An account that has signed in: one home account of one cloud or issuer, in all the tenants it was used in.
///
/// Two values are equal when their identifiers and environments are. Values without an identifier are equal when their
/// user names and environments are. The other properties do not matter. The description contains the identifier and the
/// environment only: user names are personal data.
public struct Account: Sendable {
  /// The home account ID: `uid.utid` in Azure AD, the ID token's `sub` elsewhere.
  ///
  /// Store it to find the account again; a user name can change. It may be empty for an account that ADAL has signed in
  /// and that no silent call has used yet. Find such an account by its user name.
  public let identifier: String
  /// The user name, without combining marks that follow 30 others; empty when the provider did not send one.
  public let username: String
  /// The environment under which the account's entries are stored: a cloud's preferred cache host, such as
  /// `login.windows.net`; elsewhere it is ``environment``.
  package let storageEnvironment: String
  /// The user's name, if the provider sent one.
  public let name: String?
  /// The clients that hold tokens for the account, sorted.
  public let clients: [String]
  /// The account in each tenant that it was used in, sorted by tenant.
  ///
  /// Outside Azure AD there is one profile, for the tenant in the authority's URL.
  public let tenantProfiles: [TenantProfile]
  /// Whether the identity broker has the account, or had it when its last token was stored.
  public private(set) var isFromBroker: Bool
  /// The other user names under which the group holds the account: earlier ones, and a guest's.
  ///
  /// Each client has a copy of the account, with the user name of its last sign-in.
  package private(set) var otherNames: Set<Username>
  /// Those of ``otherNames`` that are another account's user name now.
  fileprivate var takenNames: Set<Username> = []
  /// The apps that are signed in, by client; only ``AccountDirectory`` sets them.
  ///
  /// It is empty for what no app has stated, such as an import.
  public internal(set) var signIns: [SignIn] = []

  /// Creates an account with all that is known of it.
  ///
  /// - Parameter storageEnvironment: The canonical environment of its entries.
  package init(
    identifier: String, username: String, storageEnvironment: String, name: String?, clients: [String],
    tenantProfiles: [TenantProfile], isFromBroker: Bool, otherNames: Set<Username> = []
  ) {
    self.identifier = identifier
    self.username = username.withLimitedMarks
    self.storageEnvironment = storageEnvironment
    self.name = name?.withLimitedMarks
    self.clients = clients
    self.tenantProfiles = tenantProfiles
    self.isFromBroker = isFromBroker
    self.otherNames = otherNames
  }

  /// The environment within which the identifier is unique: the host of the account's cloud that authorities name, such
  /// as `login.microsoftonline.com`; at B2C and AD FS the host, and at an OpenID provider the ``Issuer``.
  ///
  /// It is the ``Authority/environment`` of the authorities that the account can be used with, whichever of the cloud's
  /// hosts it signed in at. In a cloud whose hosts the group has learnt, it is the cloud's preferred cache host, which
  /// another of its authorities may not name. For an account that was imported from a cache without its issuer, it is
  /// the host and `/*`. Its tokens are given to no authority.
  public var environment: String { CloudEnvironment.network(storageEnvironment) }

  /// The tenants that the account was used in, sorted.
  public var tenants: [String] { tenantProfiles.map(\.tenant).filter { !$0.isEmpty } }

  /// The claims of the account's ID token in its home tenant; `nil` if the client has none from there.
  public var claims: IDTokenClaims? { tenantProfiles.first(where: \.isHome)?.claims }

  /// The ID of the account's home tenant; `nil` outside Azure AD.
  public var homeTenant: String? {
    let id = HomeAccountID(identifier)
    return id.isAzureAD(at: storageEnvironment) ? id.tenant : nil
  }
}

extension Account {
  /// Creates an account that is stored outside the group, for an ``ExternalAccountProvider``, or one for tests and
  /// previews of an app.
  ///
  /// - Parameters:
  ///   - identifier: The home account ID; empty when it is not known.
  ///   - username: The user name.
  ///   - environment: A host of the account's cloud, or the provider's issuer.
  ///   - name: The user's name, if it is known.
  ///   - clients: The clients that hold tokens for the account.
  ///   - tenantProfiles: The account in each tenant that it was used in.
  ///   - signIns: The apps that are signed in.
  public init(
    identifier: String, username: String, environment: String, name: String? = nil, clients: [String] = [],
    tenantProfiles: [TenantProfile] = [], signIns: [SignIn] = []
  ) {
    self.init(
      identifier: identifier, username: username,
      storageEnvironment: CloudEnvironment.canonical(environment),
      name: name, clients: clients, tenantProfiles: tenantProfiles, isFromBroker: false)
    self.signIns = signIns
  }

  /// Returns this account with the data of a newer response.
  func updated(from newer: Account) -> Account {
    let others = tenantProfiles.filter { old in
      !newer.tenantProfiles.contains { $0.tenant.lowercased() == old.tenant.lowercased() }
    }
    return Account(
      identifier: newer.identifier, username: newer.username,
      storageEnvironment: newer.storageEnvironment, name: newer.name,
      clients: Self.distinct(clients + newer.clients),
      tenantProfiles: (others + newer.tenantProfiles).sorted {
        $0.tenant.lowercased() < $1.tenant.lowercased()
      }, isFromBroker: isFromBroker || newer.isFromBroker, otherNames: otherNames.union(newer.otherNames))
  }

  /// Returns clients sorted, and each once: IDs with the same characters may differ in their bytes.
  static func distinct(_ clients: [String]) -> [String] {
    Set(clients.map(JSONText.init)).map(\.string).sorted()
  }

  /// Returns this account, marked as one that the identity broker has.
  func markedAsFromBroker() -> Account {
    var account = self
    account.isFromBroker = true
    return account
  }
}

extension Account {
  /// The other names that identify this account: no other account has them as its user name.
  package var ownOtherNames: Set<Username> { otherNames.subtracting(takenNames) }

  /// Every user name under which the group holds the account; without one, only the empty name.
  package var names: Set<Username> { otherNames.union([Username(username)]) }

  /// Returns whether the group holds the account under a user name.
  package func hasName(_ name: Username) -> Bool { Username(username) == name || otherNames.contains(name) }

  /// Returns whether a user name identifies the account: it is the account's, and not another's now.
  package func isIdentified(by name: Username) -> Bool {
    Username(username) == name || otherNames.contains(name) && !takenNames.contains(name)
  }

  /// Returns this account with more user names under which the group holds it.
  package func adding(names: Set<Username>) -> Account {
    var account = self
    account.otherNames = otherNames.union(names).subtracting([Username(username), Username("")])
    return account
  }

  /// Returns whether this is an ADAL account without an identifier whose user name identifies the other, in the same
  /// cloud.
  func isNamed(as other: Account) -> Bool {
    identifier.isEmpty && other.isIdentified(by: Username(username))
      && storageEnvironment == other.storageEnvironment
  }

  /// Throws `invalidArgument` for blank text, which must never match the first account.
  package static func requireText(_ text: String, _ what: String) throws(SecretStoreError) {
    if text.allSatisfy(\.isWhitespace) {
      throw SecretStoreError(.invalidArgument, "The account's \(what) is blank.")
    }
  }
}

extension Account: Hashable {
  /// Returns whether two values are the same account of the same environment.
  public static func == (left: Account, right: Account) -> Bool {
    HomeAccountID(left.identifier) == HomeAccountID(right.identifier)
      && left.storageEnvironment == right.storageEnvironment
      && (!left.identifier.isEmpty || Username(left.username) == Username(right.username))
  }

  /// Hashes the values that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(HomeAccountID(identifier))
    hasher.combine(storageEnvironment)
    if identifier.isEmpty { hasher.combine(Username(username)) }
  }
}

extension [Account] {
  /// Returns the accounts, each with its other names that are another's user name marked as taken.
  package func markingTakenNames() -> [Account] {
    let names = Dictionary(grouping: self, by: \.storageEnvironment).mapValues { accounts in
      Set(accounts.map { Username($0.username) })
    }
    return map { account in
      var account = account
      account.takenNames = account.otherNames.intersection(names[account.storageEnvironment] ?? [])
      return account
    }
  }
}

extension Sequence<Account> {
  /// Returns the accounts in the order of lists: by user name, then identifier, then environment.
  package func sortedByUsername() -> [Account] {
    map { ($0, Username($0.username)) }.sorted {
      ($0.1, $0.0.identifier, $0.0.environment) < ($1.1, $1.0.identifier, $1.0.environment)
    }.map(\.0)
  }
}

extension Account: CustomStringConvertible, CustomReflectable {
  /// The identifier in its stored form, and the environment.
  public var description: String { "Account(\(RecordKey.storedAccount(identifier)), \(environment))" }

  /// A mirror that shows the environment only.
  public var customMirror: Mirror { Mirror(self, children: ["environment": environment]) }
}
