// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The signed-out accounts of a group, in either format, whose tokens an import must not bring back.
///
/// An account is signed out if a record says so and no other record of the account is in use. Accounts with IDs are
/// compared by them, because several may have one user name. ADAL's users without an ID are compared by name. A record
/// of which only other programs have a copy says nothing.
package struct SignedOutAccounts {
  /// An account identifier in one environment: an account ID in its stored form, or the digest of a user name.
  package struct AccountName: Hashable {
    let environment: String
    let name: String

    package init(environment: String, name: String) {
      self.environment = environment
      self.name = name
    }
  }

  private struct Family: Hashable {
    let accountName: AccountName
    let family: String
  }

  /// A client of an account.
  struct Client: Hashable {
    let accountName: AccountName
    let client: String
  }

  private var signedOut: Set<AccountName> = []
  private var inUse: Set<AccountName> = []
  private var signedOutFamilies: Set<Family> = []
  private var familiesInUse: Set<Family> = []
  private var signedOutClients: Set<Client> = []
  /// Those of ``signedOutClients`` that ADAL's items say.
  private var signedOutADALClients: Set<Client> = []
  private var clientsInUse: Set<Client> = []
  /// The names of the users that ADAL's items give no ID.
  private var namesWithoutID: Set<String> = []
  /// The signed-out accounts by host: those with an unknown issuer, and those with a known one.
  private var signedOutAtHosts: Set<AccountName> = []
  private var signedOutAtIssuers: Set<AccountName> = []
  /// The names of signed-out accounts that are in use in no environment.
  private var signedOutNames: Set<String> = []
  private let aliases: EnvironmentAliases

  package init(in stored: StoredGroup) {
    self.aliases = stored.aliases
    // An account whose ID is signed out may be in use under one of its user names, in an item of ADAL's without an ID.
    var namesOfSignedOut: [AccountName: Set<AccountName>] = [:]
    for record in stored.ownRecords(.credentials) {
      let accountName = record.key.accountName
      guard let document = try? record.document() else {
        inUse.insert(accountName)
        continue
      }
      let families = document.appMetadata.map(\.familyID).filter { !$0.isEmpty }
        .map { Family(accountName: accountName, family: $0) }
      let names = Self.names(of: document, record.key)
      let clients = Self.clients(of: document, record.key)
      if document.isSignedOut(for: nil) {
        signedOut.insert(accountName)
        signedOutClients.formUnion(clients)
        namesOfSignedOut[accountName, default: []].formUnion(names)
        signedOutFamilies.formUnion(families)
      } else {
        inUse.insert(accountName)
        inUse.formUnion(names)
        clientsInUse.formUnion(clients)
        familiesInUse.formUnion(families)
      }
    }
    for record in stored.ownRecords(.family) where (try? record.document().hasTokens) != false {
      familiesInUse.insert(Family(accountName: record.key.accountName, family: record.key.familyID))
    }
    let usedWithoutID = addADALItems(stored.ownRecords(.legacy))
    for (accountName, names) in namesOfSignedOut {
      if names.isDisjoint(with: usedWithoutID) {
        signedOut.formUnion(names)
      } else {
        inUse.insert(accountName)
      }
    }
    signedOut.subtract(inUse)
    signedOutFamilies.subtract(familiesInUse)
    signedOutADALClients.subtract(clientsInUse)
    signedOutClients.subtract(clientsInUse)
    signedOutClients.formUnion(signedOutADALClients)
    signedOutNames = Set(signedOut.map(\.name)).subtracting(inUse.map(\.name))
    for accountName in signedOut {
      guard let (host, isIssuerKnown) = Self.atHost(accountName) else { continue }
      if isIssuerKnown { signedOutAtIssuers.insert(host) } else { signedOutAtHosts.insert(host) }
    }
  }

  /// Returns an account by its issuer's host, and whether its issuer is known.
  ///
  /// The result is `nil` at Microsoft's hosts.
  private static func atHost(_ accountName: AccountName) -> (host: AccountName, isIssuerKnown: Bool)? {
    let environment = accountName.environment
    if CloudEnvironment.isMicrosoftHost(environment) { return nil }
    let unknown = Issuer.hostOfUnknown(environment)
    let issuer = Issuer(environment) ?? Issuer("https://\(unknown ?? environment)")
    guard let issuer else { return nil }
    return (AccountName(environment: issuer.hostName, name: accountName.name), unknown == nil)
  }

  /// Returns the same AD FS account in its other environment: ADAL names AD FS by its host, MSAL by its URL.
  private static func atADFS(_ accountName: AccountName) -> AccountName {
    let path = "/adfs"
    let environment =
      Issuer(accountName.environment).flatMap { issuer in
        issuer.text == "https://\(issuer.host)\(path)" ? issuer.host : nil
      } ?? "https://\(accountName.environment)\(path)"
    return AccountName(environment: environment, name: accountName.name)
  }

  /// Returns whether an account is signed out, or may be when the file or the group does not name the issuer.
  private func isSignedOut(_ accountName: AccountName) -> Bool {
    // A sign-out of what named no environment counts in each.
    let anywhere = AccountName(environment: "", name: accountName.name)
    if signedOut.contains(accountName) || signedOut.contains(anywhere) { return true }
    guard let (host, isIssuerKnown) = Self.atHost(accountName) else { return false }
    return signedOut.contains(Self.atADFS(accountName)) || signedOutAtHosts.contains(host)
      || !isIssuerKnown && signedOutAtIssuers.contains(host)
  }

  /// Adds ADAL's items, and returns the users of those in use that have no ID.
  private mutating func addADALItems(_ records: [Record]) -> Set<AccountName> {
    var usedWithoutID: Set<AccountName> = []
    for item in ADALStore.items(in: records) where item.token.subject == .user {
      let accountNames = Self.accountNames(of: item.token, aliases)
      let clients = Self.clients(of: item.token, aliases)
      if item.token.accountID == nil { namesWithoutID.formUnion(accountNames.map(\.name)) }
      if item.token.kind != nil {
        inUse.formUnion(accountNames)
        if item.token.accountID == nil { usedWithoutID.formUnion(accountNames) }
        clientsInUse.formUnion(clients)
      } else if item.metadata.signOutNumber > 0 {
        signedOut.formUnion(accountNames)
        signedOutADALClients.formUnion(clients)
      }
    }
    return usedWithoutID
  }

  /// Returns whether the file's entries for a record belong to a signed-out account.
  ///
  /// - Parameter names: The user names that the file has for the account.
  func contains(_ key: RecordKey, named names: Set<AccountName>) -> Bool {
    guard key.kind == .credentials || key.kind == .family else { return false }
    let names = names.filter { namesWithoutID.contains($0.name) }
    let clients = names.union([key.accountName]).map { Client(accountName: $0, client: key.clientID) }
    if key.kind == .credentials, !signedOutADALClients.isDisjoint(with: clients) { return true }
    if isSignedOut(key.accountName) && !inUse.contains(key.accountName) { return true }
    if key.kind == .family,
      signedOutFamilies.contains(Family(accountName: key.accountName, family: key.familyID))
    {
      return true
    }
    return !inUse.contains(key.accountName) && names.contains(where: isSignedOut)
  }

  /// Returns whether an entry of any kind belongs to a signed-out account.
  func contains(_ owner: CacheDocument.EntryOwner) -> Bool {
    let accountName = owner.accountName(aliases)
    if accountName.environment.isEmpty { return signedOutNames.contains(accountName.name) }
    return isSignedOut(accountName) && !inUse.contains(accountName)
  }

  /// Returns whether an ADAL item belongs to a signed-out user.
  package func contains(_ token: ADALToken) -> Bool {
    guard token.subject == .user else { return false }
    let name = token.userID.map(DocumentMetadata.digest(ofName:))
    func counts(_ accountName: AccountName) -> Bool {
      token.accountID == nil || accountName.name != name || namesWithoutID.contains(accountName.name)
    }
    let accountNames = Self.accountNames(of: token, aliases).filter(counts)
    let clients = Self.clients(of: token, aliases).filter { counts($0.accountName) }
    if !signedOutClients.isDisjoint(with: clients) { return true }
    return accountNames.contains(where: isSignedOut) && !accountNames.contains(where: inUse.contains)
  }

  /// Returns the user names that a file has for each account.
  static func names(in parts: [RecordKey: CacheDocument]) -> [AccountName: Set<AccountName>] {
    parts.reduce(into: [:]) { names, part in
      guard [.credentials, .family].contains(part.key.kind) else { return }
      names[part.key.accountName, default: []].formUnion(Self.names(of: part.value, part.key))
    }
  }

  private static func names(of document: CacheDocument, _ key: RecordKey) -> [AccountName] {
    let usernames = document.accounts.map(\.username).filter { !$0.isEmpty }.map(
      DocumentMetadata.digest(ofName:))
    return (usernames + document.metadata.names).map { AccountName(environment: key.environment, name: $0) }
  }

  /// Returns the client of a record, for each name of the record's account.
  static func clients(of document: CacheDocument, _ key: RecordKey) -> Set<Client> {
    let accountNames = [key.accountName] + names(of: document, key)
    return Set(accountNames.map { Client(accountName: $0, client: key.clientID) })
  }

  /// Returns the client of an ADAL token, for each name of the token's user.
  static func clients(of token: ADALToken, _ aliases: EnvironmentAliases) -> Set<Client> {
    let client = RecordKey.storedClient(token.clientID)
    return Set(accountNames(of: token, aliases).map { Client(accountName: $0, client: client) })
  }

  private static func accountNames(of token: ADALToken, _ aliases: EnvironmentAliases) -> [AccountName] {
    var names = [
      token.userID.map(DocumentMetadata.digest(ofName:)), token.accountID.map(RecordKey.storedAccount),
    ]
    // ADAL identifies a user without an address by the object ID.
    if let user = token.userID, let tenant = token.tenantID {
      names.append(RecordKey.storedAccount("\(user).\(tenant)"))
    }
    let environment = token.environment(aliases)
    return names.compactMap(\.self).map { AccountName(environment: environment, name: $0) }
  }
}

extension CacheDocument.EntryOwner {
  /// Returns the account that the entry names; without an environment where the entry names none.
  func accountName(_ aliases: EnvironmentAliases) -> SignedOutAccounts.AccountName {
    let name = RecordKey.storedAccount(homeAccountID)
    guard let environment else { return SignedOutAccounts.AccountName(environment: "", name: name) }
    let canonical = aliases.canonical(environment)
    let isCloudOrIssuer =
      CloudEnvironment.isMicrosoftHost(canonical) || aliases.isLearned(canonical) || Issuer(canonical) != nil
    return SignedOutAccounts.AccountName(
      environment: isCloudOrIssuer ? canonical : Issuer.unknown(at: canonical), name: name)
  }
}

extension RecordKey {
  /// The account that the record belongs to.
  package var accountName: SignedOutAccounts.AccountName { .init(environment: environment, name: account) }
}
