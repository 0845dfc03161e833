// SPDX-License-Identifier: MIT

import FoundationEssentials
package import KeychainGroupModel
import StrictJSON

/// Distributes the entries of a whole cache's document to the records that own them.
package struct CachePartitioner {
  /// The record for sections and entries without another owner.
  package static let leftovers = RecordKey.groupData("imported")

  /// The maximum total size of the accounts in bytes, counted once for each record that an account is copied to: 64
  /// MiB.
  private static let maximumAccountBytes = 64 << 20

  private var indexed: [RecordKey: IndexedDocument] = [:]
  /// The accounts without a token.
  private var leftAccounts: [AccountEntry] = []
  /// The entries that could not be read.
  private var leftEntries: [CacheSection: JSONObject] = [:]
  private var leftMembers: JSONObject = [:]
  /// The records of each account, and the records of each client.
  private var owners: [Owner: [RecordKey]] = [:]
  private var accountBytes = 0
  private let freshness: Freshness
  /// The number of entries in known sections that could not be read.
  private(set) var unreadable = 0

  /// The owner of the records that an account or app metadata is copied to.
  private enum Owner: Hashable {
    case account(String, environment: String)
    case family(String, environment: String)
    case client(String, environment: String)
  }

  /// Distributes the entries of a document.
  ///
  /// - Parameters:
  ///   - keepsUnreadable: Whether unreadable entries are kept as leftovers.
  ///   - freshness: Decides which of several entries of one credential is the newest, and therefore kept.
  /// - Throws: `invalidFile` when the accounts, counted for each of their records, exceed 64 MiB. If
  ///   `keepsUnreadable`, also when an identifier holds a control character or the entry's token, or when the document
  ///   has the member `ADAL`.
  package init(
    _ document: CacheDocument, keepsUnreadable: Bool, _ freshness: Freshness
  ) throws(SecretStoreError) {
    self.freshness = freshness
    if keepsUnreadable, let invalid = document.invalidEntries.first {
      throw SecretStoreError(.invalidFile, "The cache's \(invalid).")
    }
    // In a record it would be an ADAL item, which isn't read from a file of this format.
    if keepsUnreadable, document[member: CacheDocument.adalMember] != nil {
      throw SecretStoreError(
        .invalidFile, "The cache has a member \(CacheDocument.adalMember), which no unified cache has.")
    }
    for section in CacheSection.credentials {
      for (name, value) in document[section] {
        if let credential = CredentialEntry(value, section: section, named: name),
          IdentifyingMembers.credential.invalid(in: credential.fields) == nil
        {
          assign(credential)
        } else {
          keepLeftover(name, value, of: section, if: keepsUnreadable)
        }
      }
    }
    for (name, value) in document[.account] {
      if let account = AccountEntry(value, named: name) {
        try assign(account)
      } else {
        keepLeftover(name, value, of: .account, if: keepsUnreadable)
      }
    }
    for (name, value) in document[.appMetadata] {
      if let metadata = AppMetadataEntry(value, named: name) {
        assign(metadata)
      } else {
        keepLeftover(name, value, of: .appMetadata, if: keepsUnreadable)
      }
    }
    for (name, value) in document.root where !Self.isKnown(name) { leftMembers[name] = value }
    if leftMembers[CacheDocument.adalMember] != nil {
      leftMembers[CacheDocument.adalMember] = nil
      unreadable += 1
    }
  }

  /// The document for each record.
  package var parts: [RecordKey: CacheDocument] {
    var parts = indexed.mapValues { indexed in
      var part = indexed.document
      let dates = part.credentials.filter { $0.kind.section == .refreshToken }.compactMap(freshness.date)
      if let date = dates.max() { part.metadata.refreshTokenAt = date }
      return part
    }
    var unreadable = CacheDocument()
    for (section, entries) in leftEntries { unreadable[section] = entries }
    var left = IndexedDocument(unreadable)
    for account in leftAccounts { left.put(account) }
    var rest = left.document
    for (name, value) in leftMembers { rest[member: name] = value }
    if rest != CacheDocument() { parts[Self.leftovers] = rest }
    return parts
  }

  /// Adds a credential to the record of its owner.
  ///
  /// Of several entries of one credential the newest is kept.
  ///
  /// MSAL Python stores one refresh token for each set of scopes.
  private mutating func assign(_ credential: CredentialEntry) {
    let owner = Self.owner(of: credential)
    if indexed[owner] == nil { note(owner) }
    let other = indexed[owner]?.stored(credential)
    let date = freshness.date(of: credential)
    if let other, freshness.isNewer(freshness.date(of: other), than: date) { return }
    indexed[owner, default: IndexedDocument()].put(credential)
  }

  private mutating func note(_ record: RecordKey) {
    let environment = record.environment
    if record.kind == .family {
      owners[.family(record.account, environment: environment), default: []].append(record)
    }
    guard record.kind == .credentials else { return }
    owners[.account(record.account, environment: environment), default: []].append(record)
    owners[.client(record.clientID, environment: environment), default: []].append(record)
  }

  private static func isKnown(_ member: String) -> Bool {
    member == CacheDocument.metadataSection || CacheSection(rawValue: member) != nil
  }

  /// Returns the record that owns a credential: the family's for a family refresh token, else the record of the account
  /// and client; for a client's own token the client's record.
  package static func owner(of credential: CredentialEntry) -> RecordKey {
    if credential.isAppToken {
      return .client(credential.clientID, environment: credential.environment)
    }
    if credential.kind.section == .refreshToken, let family = credential.familyID {
      return .family(
        homeAccountID: credential.homeAccountID, environment: credential.environment, familyID: family)
    }
    return .credentials(
      homeAccountID: credential.homeAccountID, environment: credential.environment,
      clientID: credential.clientID)
  }

  /// Adds an account to each client that has a token of it.
  ///
  /// Without such a client it goes to the families that have a token of it, and without those to the leftovers.
  private mutating func assign(_ account: AccountEntry) throws(SecretStoreError) {
    let (stored, environment) = (
      RecordKey.storedAccount(account.homeAccountID), CloudEnvironment.canonical(account.environment)
    )
    guard
      let records = owners[.account(stored, environment: environment)]
        ?? owners[.family(stored, environment: environment)]
    else { return leftAccounts.append(account) }
    if records.count > 1 {
      accountBytes += records.count * JSONValue.object(account.fields).serialized().count
      guard accountBytes <= Self.maximumAccountBytes else {
        throw SecretStoreError(
          .invalidFile,
          "The cache's accounts, for each of their clients, come to over \(Self.maximumAccountBytes) bytes.")
      }
    }
    for record in records { indexed[record]?.put(account) }
  }

  /// Adds app metadata to each account of the client, or to the client's own record when there is none.
  private mutating func assign(_ metadata: AppMetadataEntry) {
    let client = RecordKey.client(metadata.clientID, environment: metadata.environment)
    let records = owners[.client(client.clientID, environment: client.environment)] ?? [client]
    for record in records { indexed[record, default: IndexedDocument()].put(metadata) }
  }

  private mutating func keepLeftover(
    _ name: String, _ value: JSONValue, of section: CacheSection, if isKept: Bool
  ) {
    unreadable += 1
    if isKept { leftEntries[section, default: [:]][name] = value }
  }
}
