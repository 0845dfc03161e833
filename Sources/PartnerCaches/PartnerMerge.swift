// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON
import UnifiedCache

/// The merge of a group's entries of one client into a tool's cache, by what both had before.
///
/// What the tool has and the group has not is left alone. An account that the tool had and has no more was signed out
/// there and stays away. An account that only an export brought there goes when the group, or its client, is signed out
/// of it.
struct PartnerMerge {
  /// The client whose entries are written.
  let client: String
  /// Whether refresh tokens of its family are written, too.
  let takesFamily: Bool
  /// The one account to write; `nil` for all.
  ///
  /// It is also written if the user signed out of it at the tool.
  let account: PartnerAccount.Owner?
  /// The accounts that the client is signed out of; their family may have tokens for other clients.
  let signedOut: Set<SignedOutAccounts.AccountName>
  let now: Date

  /// One change, to be found again in the tool's cache.
  struct Change {
    let key: String
    /// The digest of the secret that was replaced; `nil` for a new credential.
    let replaced: String?
  }

  private(set) var document = CacheDocument()
  private(set) var base = PartnerBase()
  /// The base before the merge.
  private(set) var former = PartnerBase()
  private(set) var changes: [Change] = []
  /// The hosts of the credentials that were written.
  private var writtenHosts: Set<String> = []
  /// The number of accounts that the group has to write.
  private(set) var found = 0
  /// The number of accounts that were removed at the tool.
  private(set) var removed = 0
  /// The number of accounts that the user signed out of at the tool and that were not written.
  private(set) var gone = 0
  /// The number of accounts that were not written because another account at the tool has their keys.
  private(set) var unwritten = 0

  init(
    client: String, takesFamily: Bool, account: PartnerAccount.Owner?,
    signedOut: Set<SignedOutAccounts.AccountName>, now: Date
  ) {
    self.client = client
    self.takesFamily = takesFamily
    self.account = account
    self.signedOut = signedOut
    self.now = now
  }

  private var freshness: Freshness { Freshness(now: now) }

  /// Returns a document's credentials of the client, and of its family if wanted.
  static func credentials(_ document: CacheDocument, of client: String, family: Bool) -> [CredentialEntry] {
    document.credentials.filter { credential in
      guard !credential.isAppToken, credential.fields["ext_cache_key"] == nil,
        credential.fields["user_assertion_hash"] == nil
      else { return false }
      return credential.isOf(client)
        || family && credential.kind.section == .refreshToken && credential.familyID != nil
    }
  }

  /// Merges the group's entries into the tool's.
  mutating func merge(_ here: CacheDocument, into there: CacheDocument, over base: PartnerBase) {
    let theirs = Self.credentials(there, of: client, family: true)
    document = there
    former = base
    self.base = base
    self.base.seeChanges(theirs, of: client)
    let signedIn = signedInCredentials(here, family: true)
    let wanted = wantedCredentials(here)
    let owners = Dictionary(grouping: wanted, by: owner)
    let theirOwners = Dictionary(grouping: theirs, by: owner)
    found = owners.count
    let ownersHere = Set(signedIn.map(owner))
    for (owner, credentials) in theirOwners where account == nil && !ownersHere.contains(owner) {
      removeIfAdded(owner, credentials)
    }
    var accounts = MSALPythonAccounts(document)
    let inOrder = owners.sorted { $0.value[0].homeAccountID < $1.value[0].homeAccountID }
    for (owner, credentials) in inOrder {
      let known = base.accounts[owner]
      if theirOwners[owner] == nil, known?.isThere == true || known?.isGone == true, account == nil {
        gone += 1
        continue
      }
      guard accounts.take(credentials[0].homeAccountID, credentials[0].environment) else {
        unwritten += 1
        continue
      }
      let isNew = theirOwners[owner] == nil
      let before = changes.count
      for credential in credentials { write(credential, over: theirOwners[owner] ?? [], isNewAccount: isNew) }
      if isNew { self.base.accounts[owner] = PartnerBase.Account(isThere: true, isAdded: true) }
      if changes.count > before { writeAccounts(of: credentials, from: here) }
    }
    writeAppMetadata(from: here)
    self.base.see(signedIn, Self.credentials(document, of: client, family: true), of: client)
  }

  /// Returns the group's credentials of the accounts that the client is not signed out of.
  private func signedInCredentials(_ here: CacheDocument, family: Bool) -> [CredentialEntry] {
    Self.credentials(here, of: client, family: family).filter { credential in
      let key = RecordKey.credentials(
        homeAccountID: credential.homeAccountID, environment: credential.environment, clientID: client)
      return !signedOut.contains(key.accountName)
    }
  }

  private func owner(_ credential: CredentialEntry) -> String {
    PartnerBase.key(credential.homeAccountID, credential.environment, of: client)
  }

  /// Returns the group's credentials to write; an expired access token is not one.
  private func wantedCredentials(_ here: CacheDocument) -> [CredentialEntry] {
    signedInCredentials(here, family: takesFamily).filter { credential in
      if let account, PartnerAccount.Owner(credential.homeAccountID, credential.environment) != account {
        return false
      }
      return !credential.kind.isAccessToken || (credential.expiresOn ?? .distantPast) > now
    }
  }

  /// Writes a credential if the group's is the newer one.
  private mutating func write(
    _ credential: CredentialEntry, over theirs: [CredentialEntry], isNewAccount: Bool
  ) {
    let key = PartnerBase.key(credential)
    let known = base.values[key]
    let value = PartnerBase.digest([credential.secret])
    let same = theirs.filter { PartnerBase.key($0) == key }
    let stored = same.max { freshness.isNewer(freshness.date(of: $1), than: freshness.date(of: $0)) }
    guard let stored else {
      // It was there and is gone, and nothing is newer here.
      if let known, known.here == value, !isNewAccount { return }
      put(credential.asNew(beside: theirs.first ?? accountBeside(credential), now: now))
      changes.append(Change(key: key, replaced: nil))
      return
    }
    if same.contains(where: { $0.secret == credential.secret }) { return }
    let storedValue = PartnerBase.digest([stored.secret])
    if let known {
      if known.here == value { return }
      if known.there != storedValue, !isNewer(credential, than: stored) { return }
    } else if !isNewer(credential, than: stored) {
      return
    }
    put(credential.replacing(stored, now: now), replacing: stored)
    changes.append(Change(key: key, replaced: storedValue))
  }

  private func isNewer(_ credential: CredentialEntry, than other: CredentialEntry) -> Bool {
    freshness.isNewer(freshness.date(of: credential), than: freshness.date(of: other))
  }

  /// Returns an entry of another client of the account, whose spelling of the host a new entry takes.
  private func accountBeside(_ credential: CredentialEntry) -> CredentialEntry? {
    document.credentials.first { $0.isOfAccount(credential.homeAccountID, credential.environment) }
  }

  /// Stores an entry under the key of the same entry, or under MSAL Python's key.
  private mutating func put(_ credential: CredentialEntry, replacing stored: CredentialEntry? = nil) {
    let section = credential.kind.section
    if let stored { document.removeEntries(of: section) { $0 == .object(stored.fields) } }
    let key = credential.keyOfMSALPython
    document[section][key] = .object(credential.fields)
    writtenHosts.insert(credential.environment)
  }

  /// Adds the accounts that the tool lacks, and brings up to date those of which newer tokens were written.
  ///
  /// A user name can change. Whatever else the tool's entry says stays.
  private mutating func writeAccounts(of credentials: [CredentialEntry], from here: CacheDocument) {
    guard let first = credentials.first else { return }
    let host = accountBeside(first)?.environment ?? first.environment
    let theirs = document.accounts
    for var account in here.accounts
    where HomeAccountID(account.homeAccountID).compared == HomeAccountID(first.homeAccountID).compared
      && CloudEnvironment.areSame(account.environment, first.environment)
    {
      guard let stored = theirs.first(where: { $0.isSame(as: account) }) else {
        account.fields["environment"] = .string(host)
        document[.account][account.key] = .object(account.fields)
        continue
      }
      guard !account.username.isEmpty, account.username != stored.username else { continue }
      var renamed = stored
      for name in ["username", "name"] { renamed.fields[name] = account.fields[name] ?? renamed.fields[name] }
      document.put(renamed)
    }
  }

  /// Adds the client's metadata if the tool lacks them.
  private mutating func writeAppMetadata(from here: CacheDocument) {
    let known = Set(document.appMetadata.map(\.identity))
    for environment in writtenHosts {
      let entry =
        here.appMetadata.first { $0.isOf(client) && CloudEnvironment.areSame($0.environment, environment) }
        ?? AppMetadataEntry(.object(["client_id": .string(client), "environment": .string(environment)]))
      guard var entry, !known.contains(entry.identity) else { continue }
      entry.fields["environment"] = .string(environment)
      // MSAL Python does not write this key in lower case.
      document[.appMetadata]["appmetadata-\(environment)-\(entry.clientID)"] = .object(entry.fields)
    }
  }

  /// Removes an account that the group is signed out of, if an export brought it and nothing of it has changed since.
  private mutating func removeIfAdded(_ owner: String, _ credentials: [CredentialEntry]) {
    guard base.accounts[owner]?.isAdded == true, let first = credentials.first else { return }
    let keys = Set(credentials.map(PartnerBase.key))
    document.removeCredentials { keys.contains(PartnerBase.key($0)) }
    if !document.credentials.contains(where: { $0.isOfAccount(first.homeAccountID, first.environment) }) {
      document.removeAccounts {
        HomeAccountID($0.homeAccountID).compared == HomeAccountID(first.homeAccountID).compared
          && CloudEnvironment.areSame($0.environment, first.environment)
      }
    }
    base.accounts[owner] = nil
    for key in keys { base.values[key] = nil }
    removed += 1
  }

  /// Returns whether another program wrote over the merge without having read it.
  ///
  /// Then a replaced token is back, or nothing new is there although no program that uses the companion file has
  /// written since. Such a program has read the merge, and what it removed stays removed.
  func isLost(in current: CacheDocument, isUntouched: Bool) -> Bool {
    if changes.isEmpty { return false }
    let theirs = Self.credentials(current, of: client, family: true)
    let values = Dictionary(theirs.map { (PartnerBase.key($0), PartnerBase.digest([$0.secret])) }) { $1 }
    let isReverted = changes.contains { $0.replaced != nil && values[$0.key] == $0.replaced }
    let isAbsent = changes.allSatisfy { $0.replaced == nil && values[$0.key] == nil }
    return isReverted || isAbsent && isUntouched
  }
}

extension CredentialEntry {
  fileprivate func isOfAccount(_ identifier: String, _ host: String) -> Bool {
    HomeAccountID(homeAccountID).compared == HomeAccountID(identifier).compared
      && CloudEnvironment.areSame(environment, host)
  }

  /// Returns the entry as MSAL Python writes a new one.
  fileprivate func asNew(beside other: CredentialEntry?, now: Date) -> CredentialEntry {
    var entry = self
    if let other { entry.fields["environment"] = .string(other.environment) }
    let scopes = (fields["target"]?.stringValue ?? "").split(separator: " ").sorted().joined(separator: " ")
    if kind.section != .idToken { entry.fields["target"] = .string(scopes) }
    if kind.section == .refreshToken { entry.fields["last_modification_time"] = UnixTime.value(now) }
    return entry
  }

  /// Returns the entry under the identity of the one that it replaces.
  fileprivate func replacing(_ stored: CredentialEntry, now: Date) -> CredentialEntry {
    var entry = keepingUnknownFields(of: stored)
    for name in ["home_account_id", "environment", "client_id", "realm", "target", "family_id"] {
      entry.fields[name] = stored.fields[name]
    }
    if kind.section == .refreshToken { entry.fields["last_modification_time"] = UnixTime.value(now) }
    return entry
  }

  /// The key under which MSAL Python writes, replaces and removes the entry.
  fileprivate var keyOfMSALPython: String {
    let target = kind.section == .idToken ? "" : fields["target"]?.stringValue ?? ""
    let tenant = kind.section == .refreshToken ? "" : realm ?? ""
    return [homeAccountID, environment, kind.rawValue, clientID, tenant, target].joined(separator: "-")
      .lowercased()
  }
}
