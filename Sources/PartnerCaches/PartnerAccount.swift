// SPDX-License-Identifier: MIT

import TokenCacheModel

/// The one account that an import or an export is about, as the user names it.
package struct PartnerAccount: Sendable {
  /// Its identifier or user name.
  let name: String
  /// Which one is meant of several accounts of that name; `nil` when there is only one.
  let environment: String?

  package init(name: String, environment: String?) {
    self.name = name
    self.environment = environment
  }

  /// An account of a cache.
  struct Owner: Hashable, Sendable {
    let account: String
    let environment: String

    init(_ identifier: String, _ host: String) {
      account = HomeAccountID(identifier).compared
      environment = CloudEnvironment.canonical(host)
    }
  }

  /// Returns the account; `nil` when it is not in the cache.
  ///
  /// - Parameter identifiers: The identifiers of the accounts that have the name, as far as they are known otherwise.
  /// - Throws: `ambiguousAccount` when several accounts have the name.
  func owner(
    in document: CacheDocument, identifiers: [String] = []
  ) throws(SecretStoreError) -> Owner? {
    let there = document.signIns.filter {
      environment == nil || CloudEnvironment.areSame($0.environment, environment ?? "")
    }
    let wanted = HomeAccountID(name).compared
    let user = Username(name)
    let identified = there.filter { HomeAccountID($0.identifier).compared == wanted }
    let known = Set(identifiers.map { HomeAccountID($0).compared })
    let named =
      !identified.isEmpty
      ? identified
      : there.filter {
        Username($0.username) == user || known.contains(HomeAccountID($0.identifier).compared)
      }
    let owners = Dictionary(named.map { (Owner($0.identifier, $0.environment), $0) }) { first, _ in first }
    guard owners.count > 1 else { return owners.first?.key }
    let choices = owners.map { AmbiguousAccounts.Choice(name: $1.identifier, environment: $0.environment) }
    throw AmbiguousAccounts(choices.sorted { ($0.name, $0.environment) < ($1.name, $1.environment) })
      .storeError
  }
}
