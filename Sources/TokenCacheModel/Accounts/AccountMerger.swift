// SPDX-License-Identifier: MIT

import FoundationEssentials
import UnifiedCache

/// Merges the account entries of several documents, the newest first; tokens stand in for missing entries.
struct AccountMerger {
  private struct Identity: Hashable {
    let account: String
    let environment: String
  }

  private struct Dated {
    let account: DatedAccount
    /// The ID token of the entry, if its claims may be shown.
    let idToken: String?
    var entry: AccountEntry { account.entry }
  }

  private struct Sources {
    var entries: [Dated] = []
    /// The accounts of tokens, used if the account has no entry.
    var tokens: [Dated] = []
    var clients: [String] = []
  }

  private var sources: [Identity: Sources] = [:]
  private var order: [Identity] = []
  /// The user names of the accounts in all documents.
  private var names: [Identity: Set<String>] = [:]

  /// Adds the user names that a document has for its accounts.
  ///
  /// It may be a document of no account that is listed.
  mutating func addNames(_ document: CacheDocument) {
    func add(_ entry: AccountEntry) {
      let identity = Identity(
        account: RecordKey.storedAccount(entry.homeAccountID),
        environment: CloudEnvironment.canonical(entry.environment))
      names[identity, default: []].insert(entry.username)
    }
    let accounts = document.accounts
    accounts.forEach(add)
    if !accounts.isEmpty { return }
    for token in document.credentials where token.kind.section == .idToken {
      add(AccountEntry(of: token, environment: token.environment))
    }
  }

  /// Adds the accounts of a document.
  ///
  /// - Parameters:
  ///   - showsClaims: Whether the caller may see the claims of the document's ID tokens, which were issued to its
  ///     client.
  ///   - isFamilyDocument: Whether the tokens are a family's. Such tokens do not count for the client that stored them.
  mutating func add(_ document: CacheDocument, showsClaims: Bool = true, isFamilyDocument: Bool = false) {
    let credentials = document.credentials
    var idTokens: [[String]: String] = [:]
    for token in credentials where showsClaims && token.kind.section == .idToken {
      let owner = [token.comparedRealm, HomeAccountID(token.homeAccountID).compared]
      if idTokens[owner] == nil { idTokens[owner] = token.secret }
    }
    var identities: [[String]: Identity] = [:]
    func identity(_ homeAccountID: String, _ environment: String) -> Identity {
      let spelling = [homeAccountID, environment]
      if let known = identities[spelling] { return known }
      let identity = Identity(
        account: RecordKey.storedAccount(homeAccountID), environment: CloudEnvironment.canonical(environment))
      identities[spelling] = identity
      return identity
    }
    for account in document.datedAccounts {
      let entry = account.entry
      let identity = identity(entry.homeAccountID, entry.environment)
      if sources[identity] == nil { order.append(identity) }
      let idToken = idTokens[[entry.comparedRealm, HomeAccountID(entry.homeAccountID).compared]]
      sources[identity, default: Sources()].entries.append(Dated(account: account, idToken: idToken))
    }
    for credential in credentials where !credential.isAppToken {
      let identity = identity(credential.homeAccountID, credential.environment)
      if sources[identity] == nil { order.append(identity) }
      if !isFamilyDocument { sources[identity, default: Sources()].clients.append(credential.clientID) }
      if sources[identity]?.entries.isEmpty == false { continue }
      let entry = AccountEntry(of: credential, environment: credential.environment)
      let isIDToken = credential.kind.section == .idToken
      // An ID token comes first: it has the names.
      sources[identity, default: Sources()].tokens.append(
        Dated(
          account: DatedAccount(
            entry: entry, date: isIDToken ? .distantFuture : credential.cachedAt ?? .distantPast),
          idToken: showsClaims && isIDToken ? credential.secret : nil))
    }
  }

  /// The accounts, sorted by user name, then identifier.
  var accounts: [Account] {
    order.compactMap { identity in
      sources[identity].map { sources in
        Self.account(sources, identity.environment)
          .adding(names: Set((names[identity] ?? []).map(Username.init)))
      }
    }
    .markingTakenNames().sortedByUsername()
  }

  /// Returns the merged account: from the home tenant's entry, else from the first entry by tenant that has a user
  /// name.
  ///
  /// The newest entry of a tenant is used.
  private static func account(_ sources: Sources, _ environment: String) -> Account {
    let known = sources.entries.isEmpty ? sources.tokens : sources.entries
    let byTenant = known.sorted(by: precedes)
    let entries = byTenant.map(\.entry)
    let home = entries.first { isHome($0) && !$0.username.isEmpty }
    let main = home ?? entries.first { !$0.username.isEmpty } ?? entries[0]
    return Account(
      identifier: main.homeAccountID,
      username: main.username,
      storageEnvironment: environment,
      name: main["name"],
      clients: Account.distinct(sources.clients),
      tenantProfiles: profiles(byTenant), isFromBroker: entries.contains(where: \.isFromBroker))
  }

  /// Returns one profile for each tenant, from its newest entry and its newest ID token.
  private static func profiles(_ byTenant: [Dated]) -> [TenantProfile] {
    var profiles: [TenantProfile] = []
    var idTokens: [String: String] = [:]
    for dated in byTenant {
      guard let token = dated.idToken else { continue }
      if idTokens[dated.entry.comparedRealm] == nil { idTokens[dated.entry.comparedRealm] = token }
    }
    var last: String?
    for dated in byTenant where last != dated.entry.comparedRealm {
      let entry = dated.entry
      last = entry.comparedRealm
      profiles.append(
        TenantProfile(
          identifier: entry.localAccountID ?? "", tenant: entry.realm, isHome: isHome(entry),
          username: entry.username, name: entry["name"], idToken: idTokens[entry.comparedRealm]))
    }
    return profiles
  }

  private static func precedes(_ left: Dated, _ right: Dated) -> Bool {
    let realms = (left.entry.comparedRealm, right.entry.comparedRealm)
    if realms.0 != realms.1 { return realms.0 < realms.1 }
    return left.account.precedes(right.account)
  }

  /// Returns whether the entry is of the account's home tenant; outside Azure AD there is no other.
  private static func isHome(_ entry: AccountEntry) -> Bool {
    let id = HomeAccountID(entry.homeAccountID)
    guard id.isAzureAD(at: entry.environment), let tenant = id.tenant else { return true }
    return tenant == entry.realm.lowercased()
  }
}
