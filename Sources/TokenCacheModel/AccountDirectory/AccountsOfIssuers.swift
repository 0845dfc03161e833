// SPDX-License-Identifier: MIT

import UnifiedCache

extension [Account] {
  /// Returns the accounts, with those of issuers in the place of one whose entry names only the issuers' host.
  ///
  /// Such an entry has no token, and may be each of theirs. What is removed of one of them includes the entry.
  ///
  /// - Parameter listed: The accounts that have tokens.
  func withIssuers(among listed: [Account]) -> [Account] {
    var found: [Account] = []
    for account in self {
      let issuers = listed.contains(account) ? [] : listed.filter { $0.isAtIssuer(ofHostOf: account) }
      for one in issuers.isEmpty ? [account] : issuers where !found.contains(one) { found.append(one) }
    }
    return found
  }
}

extension Account {
  /// Returns whether this account has the identifier of another one, and an issuer at the host that is all that is known
  /// of the other's.
  fileprivate func isAtIssuer(ofHostOf other: Account) -> Bool {
    let environment = other.storageEnvironment
    let host = Issuer.hostOfUnknown(environment) ?? environment
    guard !identifier.isEmpty, Issuer.canonical(host) == nil, !CloudEnvironment.isKnown(host) else {
      return false
    }
    return HomeAccountID(identifier).compared == HomeAccountID(other.identifier).compared
      && Issuer(storageEnvironment)?.isAt(host) == true
  }
}
