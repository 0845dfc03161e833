// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel
import UnifiedCache

/// The accounts that ADAL's refresh tokens belong to, merged with the accounts of the unified cache.
struct ADALAccounts {
  /// The ADAL items of the client and its family.
  let items: [ADALStore.Stored]
  /// The items of all clients, whose user names are the accounts', too.
  private let allItems: [ADALStore.Stored]
  let aliases: EnvironmentAliases
  /// Whether the items belong to one client, whose apps may have signed out.
  private let isOfClient: Bool
  private let signIns: ADALSignIns
  private let owners: ADALUserIndex<ADALStore.Stored>

  /// Selects the items of a client and its family from a group's records.
  ///
  /// - Parameters:
  ///   - client: The client; `nil` for every client.
  ///   - aliases: The hosts that belong to the same cloud.
  init(_ records: [Record], of client: LegacyClient?, _ aliases: EnvironmentAliases) {
    self.aliases = aliases
    self.isOfClient = client != nil
    allItems = ADALStore.items(in: records)
    let items = allItems.filter { item in
      guard let client else { return true }
      if let family = item.token.familyOfItem { return client.families.contains(family) }
      return RecordKey.storedClient(item.token.clientID) == RecordKey.storedClient(client.clientID)
    }
    self.items = items
    signIns = ADALSignIns(items: items, app: client?.app, aliases)
    owners = ADALUserIndex(items, aliases)
  }

  /// Whether the app signed out of an account in ADAL's format.
  func isSignedOut(_ account: Account) -> Bool {
    signIns.isAppSignedOut(items: owners.items(of: account, aliases))
  }

  /// Returns the given accounts and the ADAL accounts that are not among them, sorted by user name.
  ///
  /// - Parameter hides: Returns whether to leave out an account that only ADAL has.
  func merged(with accounts: [Account], excluding isExcluded: (Account) -> Bool) -> [Account] {
    var merged = IndexedAccounts(accounts)
    addNames(to: &merged)
    for item in items {
      guard item.token.refreshToken != nil, item.token.kind != nil, item.token.kind != .singleResource,
        !isOfClient || !signIns.isSignedOut(item), let user = ADALUser(item.token),
        let account = Account(item.token, aliases)
      else { continue }
      guard let index = merged.index(of: user, in: account.storageEnvironment) else {
        if !isExcluded(account) { merged.append(account) }
        continue
      }
      var known = merged.accounts[index]
      // Several items of one user may differ: only one may have the identifier. Accounts known from tokens alone
      // have no user name.
      if known.identifier.isEmpty && !account.identifier.isEmpty || known.username.isEmpty {
        known = account.with(clients: known.clients, identifier: known.identifier, names: known.names)
        merged.replace(index, with: known)
      }
      if !known.clients.contains(where: account.clients.contains) {
        merged.replace(index, with: known.with(clients: account.clients))
      }
    }
    addNames(to: &merged)
    return merged.accounts.markingTakenNames().sortedByUsername()
  }

  /// Adds the user names that items of any client have for the accounts.
  private func addNames(to merged: inout IndexedAccounts) {
    var names: [Int: Set<Username>] = [:]
    for item in allItems where item.token.kind != nil {
      guard let user = ADALUser(item.token),
        let index = merged.index(of: user, in: item.token.environment(aliases))
      else { continue }
      names[index, default: []].insert(Username(user.userID))
    }
    for (index, names) in names { merged.replace(index, with: merged.accounts[index].adding(names: names)) }
  }
}

extension Account {
  /// Creates an account from an ADAL item; returns `nil` when the item names no user.
  init?(_ token: ADALToken, _ aliases: EnvironmentAliases) {
    guard let user = ADALUser(token) else { return nil }
    let isFamilyItem = token.familyOfItem != nil
    let name = [token.givenName, token.familyName].compactMap(\.self).joined(separator: " ")
    let claims = isFamilyItem ? nil : token.idToken
    let tenant = token.tenantID
    let home = user.accountID.flatMap { HomeAccountID($0).tenant }
    self.init(
      identifier: user.accountID ?? "", username: user.userID,
      environment: token.environment(aliases),
      name: name.isEmpty ? nil : name, clients: isFamilyItem ? [] : [token.clientID],
      tenantProfiles: tenant.map { tenant in
        [
          TenantProfile(
            identifier: token.uniqueID ?? "", tenant: tenant,
            isHome: home == nil || home == tenant.lowercased(),
            username: user.userID, name: name.isEmpty ? nil : name, idToken: claims)
        ]
      } ?? [])
  }

  /// Returns the account with the given clients and user names added to its own, and with the identifier that is known.
  fileprivate func with(
    clients others: [String], identifier known: String = "", names: Set<Username> = []
  ) -> Account {
    Account(
      identifier: known.isEmpty ? identifier : known, username: username,
      storageEnvironment: storageEnvironment,
      name: name,
      clients: Set(clients + others).sorted(), tenantProfiles: tenantProfiles, isFromBroker: isFromBroker,
      otherNames: otherNames
    ).adding(names: names)
  }
}
