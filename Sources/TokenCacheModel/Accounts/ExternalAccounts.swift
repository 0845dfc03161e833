// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// The calls of a token cache to the providers of external accounts.
struct ExternalAccounts: Sendable {
  let providers: [any ExternalAccountProvider]
  /// The accounts of the last successful call, which are used while a provider fails; `nil` if they are not remembered.
  private let lastFetched: Locked<[Account]>?

  init(providers: [any ExternalAccountProvider]) { self.init(providers, lastFetched: nil) }

  private init(_ providers: [any ExternalAccountProvider], lastFetched: Locked<[Account]>?) {
    self.providers = providers
    self.lastFetched = lastFetched
  }

  /// Returns the same providers with memory, for callers that treat a missing account as a removed one.
  func remembering() -> ExternalAccounts { ExternalAccounts(providers, lastFetched: Locked([])) }

  /// Returns the accounts together with those that only the providers have.
  ///
  /// Accounts of one cloud or issuer are the same if their identifiers are equal or, when one has no identifier, if
  /// their user names are.
  func merged(with accounts: [Account]) async -> [Account] {
    let external = await fetched()
    if external.isEmpty { return accounts }
    var merged = accounts
    var known = RememberedAccounts(accounts)
    for account in external where !known.contains(account) {
      merged.append(account)
      known.insert(account)
    }
    return merged.sortedByUsername()
  }

  private func fetched() async -> [Account] {
    var fetched: [Account] = []
    do {
      for provider in providers { fetched += try await provider.accounts() }
    } catch {
      return lastFetched?.withLock(\.self) ?? []
    }
    lastFetched?.withLock { $0 = fetched }
    return fetched
  }

  /// Notifies every provider of an account.
  ///
  /// - Returns: The error of the first provider that failed.
  func update(_ account: Account, claims: IDTokenClaims?) async -> SecretStoreError? {
    await notifyAll { try await $0.update(account, claims: claims) }
  }

  /// Notifies every provider that an account was removed.
  ///
  /// - Returns: The error of the first provider that failed.
  func remove(_ account: Account) async -> SecretStoreError? {
    await notifyAll { try await $0.remove(account) }
  }

  private func notifyAll(_ notify: (any ExternalAccountProvider) async throws -> Void) async
    -> SecretStoreError?
  {
    var failure: SecretStoreError?
    for provider in providers {
      do {
        try await notify(provider)
      } catch {
        failure =
          failure
          ?? SecretStoreError(
            .storageFailed, "A provider of external accounts could not take up the change.",
            underlying: error)
      }
    }
    return failure
  }
}

/// A set of accounts, compared within their environment by identifier if both have one, else by user name.
private struct RememberedAccounts {
  private struct Name: Hashable {
    let username: Username
    let environment: String
  }

  /// The accounts with an identifier.
  private var identified: Set<Account> = []
  private var names: Set<Name> = []
  private var namesOfUnidentified: Set<Name> = []

  init(_ accounts: [Account]) {
    for account in accounts { insert(account) }
  }

  mutating func insert(_ account: Account) {
    names.formUnion(account.names.map { Name(username: $0, environment: account.storageEnvironment) })
    if account.identifier.isEmpty {
      namesOfUnidentified.insert(
        Name(username: Username(account.username), environment: account.storageEnvironment))
    } else {
      identified.insert(account)
    }
  }

  func contains(_ account: Account) -> Bool {
    let name = Name(username: Username(account.username), environment: account.storageEnvironment)
    if account.identifier.isEmpty { return names.contains(name) }
    return identified.contains(account) || namesOfUnidentified.contains(name)
  }
}
