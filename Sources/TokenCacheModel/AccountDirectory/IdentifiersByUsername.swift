// SPDX-License-Identifier: MIT

import UnifiedCache

/// The identifiers that records state for a user name, also after a sign-out.
///
/// An older library may know an account by its user name only. The record of a client's sign-out keeps the identifier
/// and a digest of the name, and another record of the older library may state both. So the account keeps the
/// identifier by which it was listed.
struct IdentifiersByUsername {
  private struct Name: Hashable {
    let environment: String
    let digest: String
  }

  private var identifiers: [Name: Set<String>] = [:]
  /// Identifiers that are an account's only if there is an account with that identifier and without a user name.
  private var possible: [Name: Set<String>] = [:]

  /// Adds what a record of an account and a client states.
  mutating func add(_ document: CacheDocument, of key: RecordKey) {
    guard HomeAccountID(key.account).isAzureAD else { return }
    for digest in document.metadata.names {
      identifiers[Name(environment: key.environment, digest: digest), default: []].insert(key.account)
    }
  }

  /// Adds what the older library's records state.
  mutating func add(_ names: [LegacyName]) {
    for name in names {
      let key = Name(
        environment: name.environment, digest: DocumentMetadata.digest(ofName: name.username))
      let stored = RecordKey.storedAccount(name.identifier)
      if name.isCertain {
        identifiers[key, default: []].insert(stored)
      } else {
        possible[key, default: []].insert(stored)
      }
    }
  }

  /// Returns the accounts, sorted by user name, with the identifier of each that has none.
  ///
  /// A name that several accounts had gives no identifier. An account with the identifier that has no user name is the
  /// same one.
  func added(to accounts: [Account]) -> [Account] {
    var added = accounts.filter { !$0.identifier.isEmpty }
    var indices: [Name: Int] = [:]
    for (index, account) in added.enumerated() {
      indices[
        Name(environment: account.storageEnvironment, digest: RecordKey.storedAccount(account.identifier))] =
        index
    }
    for account in accounts where account.identifier.isEmpty {
      let name = Name(
        environment: account.storageEnvironment, digest: DocumentMetadata.digest(ofName: account.username))
      func only(_ identifiers: Set<String>?) -> String? { identifiers?.count == 1 ? identifiers?.first : nil }
      let certain = only(identifiers[name])
      guard let identifier = certain ?? (identifiers[name] == nil ? only(possible[name]) : nil) else {
        added.append(account)
        continue
      }
      let place = Name(environment: account.storageEnvironment, digest: identifier)
      guard let index = indices[place] else {
        if certain == nil {
          added.append(account)
          continue
        }
        indices[place] = added.count
        added.append(account.with(identifier))
        continue
      }
      let known = added[index]
      if known.username.isEmpty || Username(known.username).compared == Username(account.username).compared {
        added[index] = account.with(known.identifier, clients: known.clients, known.tenantProfiles)
      } else {
        added.append(account)
      }
    }
    return added.sortedByUsername()
  }
}

extension Account {
  /// Returns the account with an identifier, and with clients and tenant profiles besides its own.
  fileprivate func with(
    _ identifier: String, clients others: [String] = [], _ profiles: [TenantProfile] = []
  ) -> Account {
    Account(
      identifier: identifier, username: username, storageEnvironment: storageEnvironment, name: name,
      clients: Account.distinct(clients + others),
      tenantProfiles: profiles.isEmpty ? tenantProfiles : profiles,
      isFromBroker: isFromBroker, otherNames: otherNames)
  }
}
