// SPDX-License-Identifier: MIT

import TokenCacheModel
import UnifiedCache

/// An ordered list of accounts with an index that finds an ADAL user's first account.
struct IndexedAccounts {
  private struct Key: Hashable {
    let environment: String
    let name: ADALUserName
    /// Whether the key is only for accounts without an identifier.
    let isOfUnidentified: Bool
  }

  private(set) var accounts: [Account] = []
  /// The positions of each key's accounts, in order.
  private var indices: [Key: [Int]] = [:]

  init(_ accounts: [Account]) {
    for account in accounts { append(account) }
  }

  /// Returns the position of the user's first account in an environment; see ``ADALUser/isSame(as:)``.
  ///
  /// An account whose user name is the user's comes before one that had it: a name may have a new owner.
  func index(of user: ADALUser, in environment: String) -> Int? {
    let hasIdentifier = user.homeAccountID != nil
    var found = user.names.map { Key(environment: environment, name: $0, isOfUnidentified: hasIdentifier) }
    if let identifier = ADALUserName(identifier: user.homeAccountID) {
      found.append(Key(environment: environment, name: identifier, isOfUnidentified: false))
    }
    let other = Key(
      environment: environment, name: .otherUser(Username(user.userID).compared),
      isOfUnidentified: hasIdentifier)
    return found.compactMap { indices[$0]?.first }.min() ?? indices[other]?.first
  }

  /// Appends an account.
  mutating func append(_ account: Account) {
    for key in Self.keys(of: account) { indices[key, default: []].append(accounts.count) }
    accounts.append(account)
  }

  /// Replaces the account at a position.
  mutating func replace(_ index: Int, with account: Account) {
    let (old, new) = (Self.keys(of: accounts[index]), Self.keys(of: account))
    for key in old.subtracting(new) { indices[key]?.removeAll { $0 == index } }
    for key in new.subtracting(old) {
      var others = indices[key] ?? []
      others.insert(index, at: others.firstIndex { $0 > index } ?? others.endIndex)
      indices[key] = others
    }
    accounts[index] = account
  }

  private static func keys(of account: Account) -> Set<Key> {
    let names = account.adalNames.union(account.otherNames.map { .otherUser($0.compared) })
    var keys = Set(
      names.map { Key(environment: account.environment, name: $0, isOfUnidentified: false) })
    if let identifier = ADALUserName(identifier: account.identifier) {
      keys.insert(Key(environment: account.environment, name: identifier, isOfUnidentified: false))
    } else {
      keys.formUnion(
        names.map { Key(environment: account.environment, name: $0, isOfUnidentified: true) })
    }
    return keys
  }
}
