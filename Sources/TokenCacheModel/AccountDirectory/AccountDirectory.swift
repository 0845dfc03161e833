// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import UnifiedCache

/// All accounts of a group, whichever app signed them in; for the user's own tools, not for apps.
///
/// Apps use ``TokenCache``, which shows and removes only the data of the calling app.
///
/// A tool for a group that is shared with ADAL makes it with ``init(backend:sharesWithADAL:)`` of the module
/// `ADALCache`. Otherwise ADAL's users are neither listed nor signed out.
public struct AccountDirectory: Sendable {
  package let backend: any TokenCacheBackend
  let legacySignIns: (any LegacySignIns)?

  /// Creates a directory over a back end.
  public init(backend: any TokenCacheBackend) { self.init(backend: backend, legacySignIns: nil) }

  /// Creates a directory over a back end.
  ///
  /// - Parameter legacySignIns: The sign-ins of an older library, which are listed and signed out of, too.
  package init(backend: any TokenCacheBackend, legacySignIns: (any LegacySignIns)?) {
    self.backend = backend
    self.legacySignIns = legacySignIns
  }

  /// The queries for the records of accounts.
  var accountRecords: [RecordQuery] {
    [.all(.credentials), .all(.family)] + (legacySignIns == nil ? [] : [.all(.legacy)])
  }

  /// Returns every account that any client or family of clients holds a token for, sorted by user name.
  ///
  /// Records that can't be read are left out.
  ///
  /// - Throws: Whatever the back end throws.
  public func accounts() async throws -> [Account] { try await listing().accounts }

  /// Returns every account that any client or family of clients holds a token for, and the records that can't be read.
  ///
  /// - Throws: Whatever the back end throws.
  public func listing() async throws -> AccountListing {
    let records = try await backend.records(matchingAny: accountRecords)
    return listing(of: records, try await aliases(for: records))
  }

  private func listing(of records: [Record], _ aliases: EnvironmentAliases) -> AccountListing {
    AccountListing(
      accounts: accounts(among: records, aliases), damaged: records.compactMap(DamagedRecord.init))
  }

  /// Returns the aliases by which accounts of the given records are matched; only an older library's need learned ones.
  private func aliases(for records: [Record]) async throws -> EnvironmentAliases {
    records.contains { $0.key.kind == .legacy } ? try await aliases : .shipped
  }

  /// The aliases of cloud hosts that the group has learned, besides the built-in ones.
  var aliases: EnvironmentAliases {
    get async throws {
      let record = try await backend.record(for: EnvironmentAliases.record)
      return EnvironmentAliases(in: try? record?.document())
    }
  }

  func accounts(among records: [Record], _ aliases: EnvironmentAliases) -> [Account] {
    var merger = AccountMerger()
    var signIns = SignInList()
    var identifiers = IdentifiersByUsername()
    for record in records where [.credentials, .family].contains(record.key.kind) {
      guard let document = try? record.document() else { continue }
      identifiers.add(document, of: record.key)
      merger.addNames(document)
      guard document.hasTokens else { continue }
      merger.add(document, isFamilyDocument: record.key.kind == .family)
      if record.key.kind == .credentials { signIns.add(document, of: record.key) }
    }
    guard let legacySignIns else { return signIns.added(to: merger.accounts) }
    let legacy = records.filter { $0.key.kind == .legacy }
    identifiers.add(legacySignIns.names(in: legacy, aliases))
    let merged = legacySignIns.merged(
      merger.accounts, with: legacy, of: nil, aliases, isInUse: { _ in false }, isHidden: { _ in false })
    return signIns.added(to: identifiers.added(to: merged))
  }

  /// Finds the accounts with an identifier, compared exactly, or with a user name, ignoring case.
  ///
  /// A user name can change, and an account is found by each that any client's list shows.
  ///
  /// An identifier is found even when none of the account's records can be read. Then the account has no user name. An
  /// account that is stored without any token, or with tokens of an older library for one resource only, is found, too,
  /// also beside listed accounts of that name, so that it can be removed.
  ///
  /// - Throws: `corruptItem` when there is no such account but an unreadable record may belong to it; and whatever the
  ///   back end throws.
  public func accounts(named name: String) async throws -> [Account] {
    try await accounts(named: name) { accounts, _ in accounts.named(name) }
  }

  /// As ``accounts(named:)``, with a choice among all accounts in place of the rule for names.
  package func accounts(
    named name: String, choosing choose: ([Account], EnvironmentAliases) -> [Account]
  ) async throws -> [Account] {
    try Account.requireText(name, "name")
    let stored = RecordKey.storedAccount(name)
    let records = try await backend.records(matchingAny: accountRecords)
    let aliases = try await aliases(for: records)
    let listing = listing(of: records, aliases)
    let unlisted = try await unlistedAccounts(among: records, besides: listing.accounts, aliases)
    let named = choose(listing.accounts + unlisted, try await self.aliases).withIssuers(
      among: listing.accounts)
    if !named.isEmpty || listing.damaged.isEmpty { return named }
    let hosts = Set(listing.damaged.map(\.key).filter { $0.account == stored }.map(\.environment))
    if !hosts.isEmpty {
      let unreadable = hosts.sorted().map { Account(identifier: name, username: "", environment: $0) }
      return choose(unreadable, try await self.aliases)
    }
    let others = listing.damaged.map(\.description).sorted().prefix(10).joined(separator: ", ")
    throw SecretStoreError(
      .corruptItem, "No such account can be read, and it may be in what can't be read: \(others).")
  }

  /// Returns the accounts with tokens in any of the given records.
  package func accounts(among records: [Record]) async throws -> [Account] {
    accounts(among: records, try await aliases)
  }

  /// Returns stored accounts that no silent call can get a token for.
  ///
  /// An import or the keychain view may have stored them without a token, and an older library with tokens for one
  /// resource only.
  ///
  /// - Parameter listed: The accounts that a silent call can get a token for.
  private func unlistedAccounts(
    among records: [Record], besides listed: [Account], _ aliases: EnvironmentAliases
  ) async throws -> [Account] {
    var merger = AccountMerger()
    var identifiers = IdentifiersByUsername()
    let leftovers = try await backend.record(for: CachePartitioner.leftovers)
    for record in records + [leftovers].compactMap(\.self) where record.key.kind != .legacy {
      guard let document = try? record.document() else { continue }
      identifiers.add(document, of: record.key)
      merger.addNames(document)
      if !document.hasTokens { merger.add(document) }
    }
    var known = Set(listed)
    let withoutToken = merger.accounts.filter { known.insert($0).inserted }
    let legacy = legacySignIns?.everyAccount(
      in: records.filter { $0.key.kind == .legacy }, besides: listed + withoutToken, aliases)
    return withoutToken + identifiers.added(to: legacy ?? []).filter { known.insert($0).inserted }
  }

  /// Returns the accounts that are signed out and have an identifier or a user name, as far as records say so, each
  /// with the clients that are.
  ///
  /// A copy of such an account's tokens may appear later, for example in a keyring that was locked: sign it out again.
  /// An identifier that is not Azure AD's is stored as a digest, so such an account is found by its identifier only.
  ///
  /// - Throws: Whatever the back end throws.
  public func signedOutAccounts(named name: String) async throws -> [Account] {
    let (stored, digest) = (RecordKey.storedAccount(name), DocumentMetadata.digest(ofName: name))
    var found: [Account: [String]] = [:]
    for record in try await backend.records(matching: .all(.credentials)) {
      guard let document = try? record.document(), document.isSignedOut(for: nil) else { continue }
      let key = record.key
      if key.account == stored {
        let account = Account(identifier: name, username: "", environment: key.environment)
        found[account, default: []].append(key.clientID)
      } else if HomeAccountID(key.account).isAzureAD, document.metadata.names.contains(digest) {
        let account = Account(identifier: key.account, username: name, environment: key.environment)
        found[account, default: []].append(key.clientID)
      }
    }
    let accounts = found.map { account, clients in
      Account(
        identifier: account.identifier, username: account.username,
        storageEnvironment: account.storageEnvironment, name: nil, clients: Account.distinct(clients),
        tenantProfiles: [], isFromBroker: false)
    }
    return accounts.sortedByUsername()
  }
}

/// The readable accounts of a group, and the records that can't be read.
public struct AccountListing: Sendable {
  /// Every account that any client or family of clients holds a token for, sorted by user name.
  public let accounts: [Account]

  /// The token records that can't be read; their user names are not known.
  public let damaged: [DamagedRecord]

  /// Creates a list, for tests and previews of an app.
  public init(accounts: [Account], damaged: [DamagedRecord] = []) {
    self.accounts = accounts
    self.damaged = damaged
  }
}
