// SPDX-License-Identifier: MIT

/// An account as it was seen, for telling whether it has changed.
struct WatchedAccount: Sendable {
  let account: Account
  /// A digest of the tokens; they themselves are not kept.
  let tokens: String

  /// Whether what a person or an app sees of the account is the same.
  func looksLike(_ other: WatchedAccount) -> Bool {
    let (mine, others) = (account, other.account)
    return mine.username == others.username && mine.name == others.name && mine.clients == others.clients
      && mine.tenantProfiles.count == others.tenantProfiles.count
      && zip(mine.tenantProfiles, others.tenantProfiles).allSatisfy { $0.looksLike($1) }
  }
}

extension TenantProfile {
  /// Whether all but the id token, which each refresh replaces, is the same.
  fileprivate func looksLike(_ other: TenantProfile) -> Bool {
    identifier == other.identifier && tenant == other.tenant && isHome == other.isHome
      && username == other.username && name == other.name
  }
}

extension WatchedAccount {
  /// The accounts with the tokens that the records hold of each.
  static func all(_ accounts: [Account], in records: [Record]) -> [WatchedAccount] {
    let documents = records.compactMap { record in
      (try? record.document()).map { (key: record.key, document: $0) }
    }
    .sorted { $0.key.sortingName < $1.key.sortingName }
    return accounts.map { account in
      let own = documents.filter { $0.key.isOf(account) || $0.document.isADALs(of: account) }
      let texts = own.map { "\($0.key.sortingName) \($0.document.tokenText)" }
      return WatchedAccount(account: account, tokens: Digest.hex(texts.joined(separator: "\n")))
    }
  }
}

extension RecordKey {
  fileprivate var sortingName: String {
    [kind.rawValue, account, environment, clientID, familyID, key].joined(separator: "\n")
  }

  fileprivate func isOf(_ account: Account) -> Bool {
    kind != .legacy && self.account == RecordKey.storedAccount(account.identifier)
      && environment == account.environment
  }
}

extension CacheDocument {
  fileprivate func isADALs(of account: Account) -> Bool {
    guard let token = adalToken, let user = ADALUser(token) else { return false }
    return user.isSame(as: account)
  }

  /// All that changes when a token does.
  fileprivate var tokenText: String {
    let sections: [CacheSection] = [.accessToken, .refreshToken, .idToken]
    let unified = sections.map { JSONValue.object(self[$0]).serialized() }.joined()
    let adals = adalToken.map { [$0.accessToken ?? "", $0.refreshToken ?? ""].joined(separator: " ") } ?? ""
    return String(decoding: unified, as: UTF8.self) + adals
  }
}
