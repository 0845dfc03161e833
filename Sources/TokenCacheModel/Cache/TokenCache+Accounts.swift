// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
public import UnifiedCache

extension TokenCache {
  /// Returns the accounts that this app can ask for a token silently, sorted by user name.
  ///
  /// A call may require a sign-in nevertheless, as when an account has no refresh token and its access token has
  /// expired.
  ///
  /// They are the accounts of this client and its family of clients, except those that this app has signed out of.
  /// Accounts of external providers are included. So are accounts that only ADAL has signed in, if the cache shares
  /// with ADAL (see ``TokenCacheOptions/sharesWithADAL``). Their identifier is empty until the first silent call,
  /// unless ADAL knows it. And so are the identity broker's accounts, if the cache uses a broker; while the broker does
  /// not reply, they are left out, with a warning in the log (``brokerAccounts()`` throws).
  ///
  /// If the cache's authority is an OpenID provider, all accounts are from that ``Issuer``. If it is Microsoft's,
  /// accounts of every cloud and provider are included, for calls that name another authority.
  ///
  /// Records that can't be read are left out and hide no other account. This client's are logged as a warning.
  /// ``AccountDirectory/listing()`` returns all of them.
  ///
  /// - Parameter includingSignedOut: Whether accounts that this app has signed out of are included, as long as another
  ///   app of the client or its family still has tokens for them. The app may offer them for a new sign-in;
  ///   ``signInState(of:)`` tells them apart. A silent call for one throws `interactionRequired`.
  /// - Throws: Whatever the back end throws. A group that was never written has no accounts.
  public func accounts(includingSignedOut: Bool = false) async throws -> [Account] {
    let records = try await backend.records(matchingAny: [.all(.credentials), .all(.family)] + legacyRecords)
    let visible = try await visible(records, includingSignedOut: includingSignedOut)
    return await external.merged(
      with: try await withBrokerAccounts(visible, among: records, includingSignedOut: includingSignedOut))
  }

  /// The queries, besides those for tokens, whose records ``visible(_:among:includingSignedOut:)`` may need.
  var sourcesOfAccounts: [RecordQuery] {
    [.client(clientID)] + (asksGroupForAliases(of: authority) ? [.all(.groupData)] : [])
  }

  /// Whether accounts are listed that the group does not have.
  private var hasOtherAccounts: Bool { !options.externalAccounts.isEmpty || options.broker != nil }

  var external: ExternalAccounts { ExternalAccounts(providers: options.externalAccounts) }

  /// Returns the only account, for a single-account app.
  ///
  /// - Returns: The account, or `nil` when there is none.
  /// - Throws: `ambiguousAccount` when there are several; and see ``accounts(includingSignedOut:)``.
  public func account() async throws -> Account? { try Account.single(await accounts()) }

  /// Finds an account by its identifier.
  ///
  /// Apps should store the identifier to find the account again.
  ///
  /// - Returns: The account, or `nil` when this app can't get a token for it.
  /// - Throws: `invalidArgument` for a blank identifier; `corruptItem` when this client's record of the account can't
  ///   be read; `ambiguousAccount` when several providers, none of them this cache's authority, have an account with
  ///   that identifier; and see ``accounts(includingSignedOut:)``.
  public func account(identifier: String) async throws -> Account? {
    let found = try await accounts(identifier: identifier)
    return try found.first { $0.storageEnvironment == authority.storageEnvironment } ?? Account.single(found)
  }

  /// Returns the accounts with an identifier, one for each cloud or issuer that has it.
  package func accounts(identifier: String) async throws -> [Account] {
    try Account.requireText(identifier, "identifier")
    let kinds = [RecordKind.credentials, .family]
    let records = try await backend.records(matchingAny: kinds.map { .all($0, homeAccountID: identifier) })
    for record in records where record.key.clientID == RecordKey.storedClient(clientID) {
      _ = try record.document()
    }
    var found = try await visible(records)
    // An older library's items count until the app has used the account.
    let isInUse = records.contains { (try? $0.document())?.metadata[app] == .signedIn }
    if legacySignIns(at: authority) != nil && !isInUse || found.isEmpty && hasOtherAccounts {
      let wanted = RecordKey.storedAccount(identifier)
      found = try await accounts().filter { RecordKey.storedAccount($0.identifier) == wanted }
    }
    return found
  }

  /// Finds an account by its user name, ignoring case.
  ///
  /// Prefer the identifier: a user name can change. An account is found by each user name that a client of the group
  /// has for it.
  ///
  /// - Returns: The account, or `nil` when this app can't get a token for it.
  /// - Throws: `invalidArgument` for a blank name; `ambiguousAccount` when several accounts have it; and see
  ///   ``accounts(includingSignedOut:)``.
  public func account(username: String) async throws -> Account? {
    try Account.requireText(username, "username")
    let wanted = Username(username)
    return try Account.single(await accounts().filter { $0.hasName(wanted) })
  }

  /// Finds an account by its ID in one of its tenants (its `oid` there); see ``TenantProfile/identifier``.
  ///
  /// - Returns: The account, or `nil` when this app can't get a token for it.
  /// - Throws: `invalidArgument` for a blank ID; `ambiguousAccount` when several accounts have it; and see
  ///   ``accounts(includingSignedOut:)``.
  public func account(tenantProfile identifier: String) async throws -> Account? {
    try Account.requireText(identifier, "tenant profile identifier")
    let wanted = identifier.lowercased()
    return try Account.single(
      await accounts().filter { account in
        account.tenantProfiles.contains { $0.identifier.lowercased() == wanted }
      })
  }

  /// Returns whether this app has signed in to an account or out of it; `nil` when it has done neither.
  ///
  /// An app that got a token silently counts as signed in. For a cache without an app it is always `nil`.
  ///
  /// - Throws: `corruptItem` when the document can't be read, and whatever the back end throws.
  public func signInState(of account: Account) async throws -> CacheDocument.SignInState? {
    let key = key(account, try await aliases(of: account))
    return try await backend.record(for: key)?.document().metadata[app]
  }

  /// Returns the accounts among the records that this app may see: the unified cache's, and an older library's that it
  /// lacks.
  ///
  /// - Parameters:
  ///   - all: All records that may be needed, if nothing else of the group is to be read.
  ///   - includingSignedOut: Whether the app also sees accounts that it has signed out of.
  func visible(
    _ records: [Record], among all: [Record]? = nil, includingSignedOut: Bool = false
  ) async throws -> [Account] {
    let client = RecordKey.storedClient(clientID)
    var ownRecords: [(RecordKey, CacheDocument)] = []
    var family: [(RecordKey, CacheDocument)] = []
    var others: [SignedOutAccounts.AccountName: [AccountEntry]] = [:]
    var merger = AccountMerger()
    for record in records where record.key.kind == .credentials && isOwn(record.key.environment) {
      let isOfClient = record.key.clientID == client
      guard let document = isOfClient ? readable(record) : try? record.document() else { continue }
      merger.addNames(document)
      if isOfClient {
        ownRecords.append((record.key, document))
      } else if document.hasTokens {
        if record.key.hasFamilies, document.appMetadata.contains(where: { !$0.familyID.isEmpty }) {
          family.append((record.key, document))
        } else {
          others[record.key.accountName, default: []] += document.accounts
        }
      }
    }
    let legacy = records.filter { $0.key.kind == .legacy && isOwn($0.key.environment) }
    let inFamilies = ownRecords.filter { $0.0.hasFamilies }.map(\.1)
    let families = inFamilies.flatMap(\.appMetadata).map(\.familyID).filter { !$0.isEmpty }
    let own = families.first ?? "1"
    for record in records where record.key.kind == .family && isRecord(record.key, ofFamily: own) {
      // An unreadable record of another client is ignored.
      guard var document = try? record.document(), document.hasTokens else { continue }
      merger.addNames(document)
      // The family's record may lack the user name. Other clients' documents of the account have it.
      for account in others[record.key.accountName] ?? [] { document.put(account) }
      family.append((record.key, document))
    }
    let isShared = family.isEmpty && legacy.isEmpty
    let isOutsideFamilies = isShared ? true : try await isOutsideFamilies(inFamilies, among: all)
    let signedOut = includingSignedOut ? [] : ownRecords.filter { $0.1.isSignedOut(for: app) }
    let signedOutNames = Set(signedOut.map(\.0.accountName))
    for (_, document) in ownRecords where isVisible(document) || includingSignedOut && document.hasSignIn {
      merger.add(document)
    }
    for (key, document) in family where !isOutsideFamilies {
      if signedOutNames.contains(key.accountName) { continue }
      merger.add(document, showsClaims: false, isFamilyDocument: key.kind == .family)
    }
    let accounts = merger.accounts
    guard !legacy.isEmpty, let shared = options.legacySignIns else { return accounts }
    let inUse = Set(ownRecords.filter { $0.1.metadata[app] == .signedIn }.map(\.0))
    let signedOutAccounts = NamedAccounts(signedOut)
    let named = Set(accounts.map { NamedAccounts.Name($0.username, $0.storageEnvironment) })
    return shared.merged(
      accounts, with: legacy,
      of: legacyClient(families: isOutsideFamilies ? [] : [own], app: includingSignedOut ? nil : app),
      try await aliases(among: all), isInUse: { inUse.contains(key($0, .shipped)) },
      isHidden: { account in
        signedOutAccounts.contains(account)
          || account.identifier.isEmpty
            && named.contains(NamedAccounts.Name(account.username, account.storageEnvironment))
      })
  }

  /// Returns whether the client is known to be in no family.
  ///
  /// All of its account documents must say so or, if there are none, its own record.
  private func isOutsideFamilies(_ documents: [CacheDocument], among all: [Record]?) async throws -> Bool {
    var metadata = documents.flatMap(\.appMetadata)
    if metadata.isEmpty {
      let query = RecordQuery.client(clientID)
      var own = all?.filter { query.matches($0.key) }
      if own == nil { own = try await backend.records(matching: query) }
      for record in own ?? [] where Issuer.canonical(record.key.environment) == nil {
        metadata += readable(record)?.appMetadata ?? []
      }
    }
    return !metadata.isEmpty && metadata.allSatisfy { $0.familyID.isEmpty }
  }

  private func aliases(among all: [Record]?) async throws -> EnvironmentAliases {
    guard let all, asksGroupForAliases(of: authority) else { return try await aliases(for: authority) }
    return EnvironmentAliases(in: all.first { $0.key == EnvironmentAliases.record }.flatMap(readable))
  }

  /// Returns the document of a record; `nil`, with a warning in the log, when it can't be read.
  func readable(_ record: Record) -> CacheDocument? {
    guard let damaged = DamagedRecord(record) else { return try? record.document() }
    CallLog.logger(or: options.logger).warning(
      "passes over a record that can't be read",
      metadata: CallLog.metadata([
        "kind": damaged.key.kind.rawValue, "client": damaged.key.clientID,
        "environment": damaged.key.environment, "detail": damaged.reason,
      ]))
    return nil
  }

  /// Returns whether this cache may use the accounts of an environment; no cache may if the issuer is unknown.
  private func isOwn(_ environment: String) -> Bool {
    Issuer.hostOfUnknown(environment) == nil
      && (authority.issuer == nil || environment == authority.storageEnvironment)
  }

  /// Returns whether a record belongs to the client's family.
  private func isRecord(_ key: RecordKey, ofFamily family: String) -> Bool {
    isOwn(key.environment) && key.hasFamilies && key.familyID == family
  }

  private func isVisible(_ document: CacheDocument) -> Bool {
    !document.isSignedOut(for: app) && (document.hasSignIn || document.metadata[app] == .signedIn)
  }
}
