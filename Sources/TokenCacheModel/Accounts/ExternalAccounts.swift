// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// What a token cache does with the providers of external accounts.
struct ExternalAccounts: Sendable {
  let providers: [any ExternalAccountProvider]
  /// What the providers gave the last time, which stands while one of them fails; `nil` where nothing does.
  private let lastGiven: Locked<[Account]>?

  init(providers: [any ExternalAccountProvider]) { self.init(providers, lastGiven: nil) }

  private init(_ providers: [any ExternalAccountProvider], lastGiven: Locked<[Account]>?) {
    self.providers = providers
    self.lastGiven = lastGiven
  }

  /// The same, for somebody who would take an account that is missing for one that is gone.
  func remembering() -> ExternalAccounts { ExternalAccounts(providers, lastGiven: Locked([])) }

  /// The accounts, and those of the providers that are not among them.
  ///
  /// Accounts are the same by their identifiers where both are known, else by their user names.
  func merged(with accounts: [Account]) async -> [Account] {
    let external = await given()
    if external.isEmpty { return accounts }
    var merged = accounts
    for account in external where !merged.contains(where: account.isPerson) { merged.append(account) }
    return merged.sorted {
      ($0.username.lowercased(), $0.identifier) < ($1.username.lowercased(), $1.identifier)
    }
  }

  private func given() async -> [Account] {
    var given: [Account] = []
    do {
      for provider in providers { given += try await provider.accounts() }
    } catch {
      return lastGiven?.withLock(\.self) ?? []
    }
    lastGiven?.withLock { $0 = given }
    return given
  }

  /// Tells every provider of an account.
  ///
  /// - Returns: What went wrong with the first that failed.
  func update(_ account: Account, claims: IDTokenClaims?) async -> SecretStoreError? {
    await tellAll { try await $0.update(account, claims: claims) }
  }

  /// Tells every provider that an account is gone.
  ///
  /// - Returns: What went wrong with the first that failed.
  func remove(_ account: Account) async -> SecretStoreError? {
    await tellAll { try await $0.remove(account) }
  }

  private func tellAll(_ tell: (any ExternalAccountProvider) async throws -> Void) async -> SecretStoreError?
  {
    var failure: SecretStoreError?
    for provider in providers {
      do {
        try await tell(provider)
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

extension Account {
  /// Whether the two are one person's: by the identifier where both are known, else by the user name.
  fileprivate func isPerson(_ other: Account) -> Bool {
    if !identifier.isEmpty && !other.identifier.isEmpty { return self == other }
    return username.lowercased() == other.username.lowercased()
  }
}
