// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The accounts that ADAL's refresh tokens are of, beside those of the unified cache.
struct ADALAccounts {
  /// ADAL's items of the client and its family.
  let items: [ADALStore.Stored]
  let app: AppIdentifier?
  let aliases: EnvironmentAliases
  /// Whether the items are of one client, whose apps may have been signed out.
  private let isOfClient: Bool

  /// - Parameters:
  ///   - clientID: The client; `nil` for every client.
  ///   - family: The client's family; `nil` when it is in none.
  ///   - aliases: Which hosts are one cloud.
  init(
    _ records: [Record], clientID: String?, family: String?, app: AppIdentifier?,
    _ aliases: EnvironmentAliases = .shipped
  ) {
    self.app = app
    self.aliases = aliases
    self.isOfClient = clientID != nil
    self.items = ADALStore.items(in: records).filter { item in
      guard let clientID else { return true }
      if let of = item.token.familyOfItem { return of == family }
      return RecordKey.storedClient(item.token.clientID) == RecordKey.storedClient(clientID)
    }
  }

  /// Whether the app signed out of an account in ADAL's format.
  func isSignedOut(_ account: Account) -> Bool {
    ADALSignIns(items: items, app: app).hasLeft(account, aliases)
  }

  /// The accounts together with ADAL's that are not among them, sorted by user name.
  ///
  /// - Parameter hides: Whether an account of ADAL's is not to be shown.
  func merged(with accounts: [Account], hiding hides: (Account) -> Bool) -> [Account] {
    var merged = accounts
    let signIns = ADALSignIns(items: items, app: app)
    for item in items {
      guard item.token.refreshToken != nil, item.token.kind != nil, item.token.kind != .singleResource,
        !isOfClient || !signIns.isClosed(item), let user = ADALUser(item.token),
        let account = Account(item.token, aliases)
      else { continue }
      let known = merged.firstIndex { $0.environment == account.environment && user.isSame(as: $0) }
      guard let known else {
        if !hides(account) { merged.append(account) }
        continue
      }
      // Of two items of a user one may know the identifier.
      if merged[known].identifier.isEmpty && !account.identifier.isEmpty {
        merged[known] = account.with(clients: merged[known].clients)
      }
      if !merged[known].clients.contains(where: account.clients.contains) {
        merged[known] = merged[known].with(clients: account.clients)
      }
    }
    return merged.sorted {
      ($0.username.lowercased(), $0.identifier) < ($1.username.lowercased(), $1.identifier)
    }
  }
}

extension Account {
  /// The account of an item of ADAL's; `nil` when it names nobody.
  init?(_ token: ADALToken, _ aliases: EnvironmentAliases) {
    guard let user = ADALUser(token) else { return nil }
    let isFamilys = token.familyOfItem != nil
    let name = [token.givenName, token.familyName].compactMap(\.self).joined(separator: " ")
    let claims = isFamilys ? nil : token.idToken
    let tenant = token.tenantID
    let home = user.homeAccountID?.split(separator: ".").last.map { $0.lowercased() }
    self.init(
      identifier: user.homeAccountID ?? "", username: user.userID,
      environment: aliases.canonical(token.environment),
      name: name.isEmpty ? nil : name, clients: isFamilys ? [] : [token.clientID],
      tenantProfiles: tenant.map { tenant in
        [
          TenantProfile(
            identifier: token.uniqueID ?? "", tenant: tenant,
            isHome: home == nil || home == tenant.lowercased(),
            username: user.userID, name: name.isEmpty ? nil : name, idToken: claims)
        ]
      } ?? [])
  }

  /// The account with other clients beside its own.
  fileprivate func with(clients others: [String]) -> Account {
    Account(
      identifier: identifier, username: username, environment: environment, name: name,
      clients: Set(clients + others).sorted(), tenantProfiles: tenantProfiles)
  }
}
