// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Makes accounts of the entries that several documents hold of them, newest first.
struct AccountMerger {
  private struct Identity: Hashable {
    let account: String
    let environment: String
  }

  private struct Dated {
    let entry: AccountEntry
    /// The id token beside the entry, where the claims may be shown.
    let idToken: String?
    /// When the newest token beside the entry was stored.
    let date: Date
  }

  private struct Gathered {
    var entries: [Dated] = []
    var clients: Set<String> = []
  }

  private var gathered: [Identity: Gathered] = [:]
  private var order: [Identity] = []

  /// Adds what a document knows of accounts.
  ///
  /// - Parameter showsClaims: Whether the document's id tokens are for whoever asks: they were issued to its client.
  mutating func add(_ document: CacheDocument, showsClaims: Bool = true) {
    let credentials = document.credentials
    let date = credentials.compactMap(\.cachedAt).max() ?? .distantPast
    let idTokens = showsClaims ? credentials.filter { $0.kind.section == .idToken } : []
    var identities: [[String]: Identity] = [:]
    func identity(_ homeAccountID: String, _ environment: String) -> Identity {
      let spelling = [homeAccountID, environment]
      if let known = identities[spelling] { return known }
      let identity = Identity(
        account: RecordKey.storedAccount(homeAccountID), environment: CloudEnvironment.canonical(environment))
      identities[spelling] = identity
      return identity
    }
    for entry in document.accounts {
      let identity = identity(entry.homeAccountID, entry.environment)
      if gathered[identity] == nil { order.append(identity) }
      let token = idTokens.first { token in
        token.realm?.lowercased() == entry.realm.lowercased()
          && RecordKey.comparedAccount(token.homeAccountID) == RecordKey.comparedAccount(entry.homeAccountID)
      }
      let dated = Dated(entry: entry, idToken: token?.secret, date: date)
      gathered[identity, default: Gathered()].entries.append(dated)
    }
    for credential in credentials {
      let identity = identity(credential.homeAccountID, credential.environment)
      gathered[identity]?.clients.insert(credential.clientID)
    }
  }

  /// The accounts, sorted by user name, then identifier.
  var accounts: [Account] {
    order.compactMap { identity in gathered[identity].map { Self.account($0, identity.environment) } }
      .sorted { ($0.username.lowercased(), $0.identifier) < ($1.username.lowercased(), $1.identifier) }
  }

  /// The home tenant's entry speaks for the account; else the first by tenant that has a user name.
  ///
  /// Of one tenant's entries it is the newest.
  private static func account(_ gathered: Gathered, _ environment: String) -> Account {
    let byTenant = gathered.entries.sorted(by: precedes)
    let entries = byTenant.map(\.entry)
    let home = entries.first { isHome($0) && !$0.username.isEmpty }
    let speaking = home ?? entries.first { !$0.username.isEmpty } ?? entries[0]
    return Account(
      identifier: speaking.homeAccountID,
      username: speaking.username,
      environment: environment,
      name: speaking["name"],
      clients: gathered.clients.sorted(),
      tenantProfiles: profiles(byTenant))
  }

  /// One profile a tenant, from its newest entry; the claims are those of its newest id token.
  private static func profiles(_ byTenant: [Dated]) -> [TenantProfile] {
    var profiles: [TenantProfile] = []
    for dated in byTenant where profiles.last?.tenant.lowercased() != dated.entry.realm.lowercased() {
      let entry = dated.entry
      let token = byTenant.first {
        $0.entry.realm.lowercased() == entry.realm.lowercased() && $0.idToken != nil
      }
      profiles.append(
        TenantProfile(
          identifier: entry.localAccountID ?? "", tenant: entry.realm, isHome: isHome(entry),
          username: entry.username, name: entry["name"], idToken: token?.idToken))
    }
    return profiles
  }

  private static func precedes(_ left: Dated, _ right: Dated) -> Bool {
    let realms = (left.entry.realm.lowercased(), right.entry.realm.lowercased())
    if realms.0 != realms.1 { return realms.0 < realms.1 }
    if left.date != right.date { return left.date > right.date }
    return left.entry.username < right.entry.username
  }

  /// Whether the entry is of the account's own tenant; outside Azure AD there is no other.
  private static func isHome(_ entry: AccountEntry) -> Bool {
    guard let dot = entry.homeAccountID.lastIndex(of: ".") else { return true }
    let tenant = entry.homeAccountID[entry.homeAccountID.index(after: dot)...].lowercased()
    return !RecordKey.isGUID(tenant[...]) || tenant == entry.realm.lowercased()
  }
}
