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
  /// An account with the user's IDs comes before one with the user name, and one whose user name it is before one that
  /// had it: a name may have several owners, and a new one.
  func index(of user: ADALUser, in environment: String) -> Int? {
    func keys(_ names: [ADALUserName], isOfUnidentified: Bool) -> [Key] {
      names.map { Key(environment: environment, name: $0, isOfUnidentified: isOfUnidentified) }
    }
    let other = ADALUserName.otherUser(Username(user.userID).compared)
    let found =
      keys(user.namesOfIdentified, isOfUnidentified: false) + keys(user.names, isOfUnidentified: true)
      + keys([other], isOfUnidentified: user.accountID != nil)
    return found.lazy.compactMap { indices[$0]?.first }.first
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
      names.map { Key(environment: account.storageEnvironment, name: $0, isOfUnidentified: false) })
    if let identifier = ADALUserName(identifier: account.identifier) {
      keys.insert(Key(environment: account.storageEnvironment, name: identifier, isOfUnidentified: false))
    } else {
      keys.formUnion(
        names.map { Key(environment: account.storageEnvironment, name: $0, isOfUnidentified: true) })
    }
    return keys
  }
}
