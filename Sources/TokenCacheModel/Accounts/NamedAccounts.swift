// SPDX-License-Identifier: MIT

import UnifiedCache

/// The accounts of records of the unified cache, found by their IDs, or by user names if ADAL does not know the ID.
struct NamedAccounts {
  /// A user name in an environment.
  struct Name: Hashable {
    private let name: Username
    private let environment: String

    init(_ name: String, _ environment: String) {
      (self.name, self.environment) = (Username(name), environment)
    }
  }

  private var accountNames: Set<SignedOutAccounts.AccountName> = []
  private var names: Set<Name> = []
  /// The digests of the user names at the time of the sign-out.
  private var formerNames: Set<SignedOutAccounts.AccountName> = []

  init(_ records: [(RecordKey, CacheDocument)]) {
    for (key, document) in records {
      accountNames.insert(key.accountName)
      formerNames.formUnion(document.metadata.names.map { .init(environment: key.environment, name: $0) })
      names.formUnion(document.accounts.map { Name($0.username, key.environment) })
    }
  }

  /// Returns whether an ADAL account is among them, by its ID if known, else by its user name.
  func contains(_ account: Account) -> Bool {
    let environment = account.storageEnvironment
    if !account.identifier.isEmpty {
      let name = RecordKey.storedAccount(account.identifier)
      return accountNames.contains(.init(environment: environment, name: name))
    }
    let digest = DocumentMetadata.digest(ofName: account.username)
    return names.contains(Name(account.username, environment))
      || formerNames.contains(.init(environment: environment, name: digest))
  }
}

extension CacheDocument {
  /// Returns whether a unified record is of the same account as ADAL's, by its ID if known, else by its user name.
  func matches(_ account: Account, _ key: RecordKey) -> Bool {
    NamedAccounts([(key, self)]).contains(account)
  }
}
