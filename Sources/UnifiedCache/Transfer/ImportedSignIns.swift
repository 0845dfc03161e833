// SPDX-License-Identifier: MIT

/// The accounts that a file has tokens of, each with its client, and those that it names without a token.
///
/// An import that replaces what is stored signs the former in. Records in the other format, ADAL's or that of the
/// unified cache, may say that they are signed out. The import removes such records.
package struct ImportedSignIns {
  private let clients: Set<SignedOutAccounts.Client>
  private let accountNames: Set<SignedOutAccounts.AccountName>
  private let aliases: EnvironmentAliases
  /// The kind of the records in the format that the file hasn't.
  private let otherKind: RecordKind

  /// The sign-ins of a unified cache.
  init(_ parts: [RecordKey: CacheDocument], _ aliases: EnvironmentAliases) {
    (self.aliases, otherKind) = (aliases, .legacy)
    clients = parts.reduce(into: []) { clients, part in
      guard part.key.kind == .credentials, part.value.hasTokens else { return }
      clients.formUnion(SignedOutAccounts.clients(of: part.value, part.key))
    }
    let leftovers = parts[CachePartitioner.leftovers]?.owners ?? []
    accountNames = Set(parts.keys.map(\.accountName) + leftovers.map { $0.accountName(aliases) })
  }

  /// The sign-ins of an ADAL cache.
  package init(_ tokens: [ADALToken], _ aliases: EnvironmentAliases) {
    (self.aliases, otherKind) = (aliases, .credentials)
    clients = tokens.reduce(into: []) { clients, token in
      if token.kind != nil { clients.formUnion(SignedOutAccounts.clients(of: token, aliases)) }
    }
    accountNames = Set(clients.map(\.accountName))
  }

  /// Returns whether a stored record is that of one of the sign-ins in the other format.
  func contains(_ document: CacheDocument, of key: RecordKey) -> Bool {
    guard key.kind == otherKind else { return false }
    let names =
      document.adalToken.map { SignedOutAccounts.clients(of: $0, aliases) }
      ?? SignedOutAccounts.clients(of: document, key)
    return !clients.isDisjoint(with: names)
  }

  /// Returns whether the file names an account; one without an environment, in any.
  func names(_ account: SignedOutAccounts.AccountName) -> Bool {
    if accountNames.contains(account) { return true }
    return account.environment.isEmpty && accountNames.contains { $0.name == account.name }
  }
}
