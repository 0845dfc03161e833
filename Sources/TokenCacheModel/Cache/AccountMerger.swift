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
  mutating func add(_ document: CacheDocument) {
    let credentials = document.credentials
    let date = credentials.compactMap(\.cachedAt).max() ?? .distantPast
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
      gathered[identity, default: Gathered()].entries.append(Dated(entry: entry, date: date))
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
    let byTenant = gathered.entries.sorted(by: precedes).map(\.entry)
    let home = byTenant.first { isHome($0) && !$0.username.isEmpty }
    let speaking = home ?? byTenant.first { !$0.username.isEmpty } ?? byTenant[0]
    return Account(
      identifier: speaking.homeAccountID,
      username: speaking.username,
      environment: environment,
      name: speaking["name"],
      clients: gathered.clients.sorted(),
      tenants: Set(byTenant.map(\.realm)).filter { !$0.isEmpty }.sorted())
  }

  private static func precedes(_ left: Dated, _ right: Dated) -> Bool {
    if left.entry.realm != right.entry.realm { return left.entry.realm < right.entry.realm }
    if left.date != right.date { return left.date > right.date }
    return left.entry.username < right.entry.username
  }

  private static func isHome(_ entry: AccountEntry) -> Bool {
    entry.homeAccountID.lowercased().hasSuffix("." + entry.realm.lowercased())
  }
}
