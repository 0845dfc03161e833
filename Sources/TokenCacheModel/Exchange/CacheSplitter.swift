// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Deals the entries of one document of a whole cache out to the records that own them.
struct CacheSplitter {
  /// The record of sections and entries that have no other owner.
  static let leftovers = RecordKey.groupData("imported")

  private(set) var parts: [RecordKey: CacheDocument] = [:]
  /// How many entries of the known sections could not be read.
  private(set) var unreadable = 0

  /// - Parameter keepsUnreadable: Whether entries that can't be read are kept as leftovers.
  init(_ document: CacheDocument, keepsUnreadable: Bool) {
    for section in CacheSection.credentials {
      for (name, value) in document[section] {
        if let credential = CredentialEntry(value, section: section) {
          deal(credential)
        } else {
          leaveOver(name, value, of: section, if: keepsUnreadable)
        }
      }
    }
    for (name, value) in document[.account] {
      if let account = AccountEntry(value) {
        deal(account, named: name)
      } else {
        leaveOver(name, value, of: .account, if: keepsUnreadable)
      }
    }
    for (name, value) in document[.appMetadata] {
      if let metadata = AppMetadataEntry(value) {
        deal(metadata)
      } else {
        leaveOver(name, value, of: .appMetadata, if: keepsUnreadable)
      }
    }
    dateRefreshTokens()
    for (name, value) in document.root where !Self.isKnown(name) {
      parts[Self.leftovers, default: CacheDocument()][member: name] = value
    }
  }

  /// Of several entries of one credential the youngest counts: MSAL Python keeps one refresh token for each set of
  /// scopes.
  private mutating func deal(_ credential: CredentialEntry) {
    let owner = Self.owner(of: credential)
    let other = parts[owner]?.credentials.first { $0.identity == credential.identity }
    if let age = other?.modifiedAt, age > credential.modifiedAt ?? .distantPast { return }
    parts[owner, default: CacheDocument()].put(credential)
  }

  /// Notes how old each part's refresh token is: as its entry says, else as young as the youngest access token
  /// beside it, which for a family's is any of the account's.
  private mutating func dateRefreshTokens() {
    for (key, part) in parts where key.kind == .credentials || key.kind == .family {
      let refresh = part.credentials.filter { $0.kind.section == .refreshToken }
      if refresh.isEmpty { continue }
      let beside = parts.filter {
        $0.key == key
          || key.kind == .family && $0.key.kind == .credentials
            && $0.key.account == key.account && $0.key.environment == key.environment
      }
      let youngest = beside.values.flatMap(\.credentials).compactMap(\.cachedAt).max()
      parts[key]?.sharing.refreshTokenAt = refresh.compactMap(\.modifiedAt).max() ?? youngest
    }
  }

  private static func isKnown(_ member: String) -> Bool {
    member == CacheDocument.sharingSection || CacheSection(rawValue: member) != nil
  }

  /// The record that owns a credential: the family's for a family's refresh token, else the client's.
  static func owner(of credential: CredentialEntry) -> RecordKey {
    if credential.kind.section == .refreshToken, let family = credential.familyID {
      return .family(
        homeAccountID: credential.homeAccountID, environment: credential.environment, familyID: family)
    }
    return .credentials(
      homeAccountID: credential.homeAccountID, environment: credential.environment,
      clientID: credential.clientID)
  }

  /// An account goes to every client that has a token of it.
  private mutating func deal(_ account: AccountEntry, named name: String) {
    let owners = parts.keys.filter(Self.owners(of: account).matches)
    if owners.isEmpty {
      leaveOver(name, .object(account.fields), of: .account, if: true, isReadable: true)
    }
    for owner in owners { parts[owner]?.put(account) }
  }

  /// What is known of a client goes to each of its accounts, else to the client's own record.
  private mutating func deal(_ metadata: AppMetadataEntry) {
    let client = RecordKey.client(metadata.clientID, environment: metadata.environment)
    let owners = parts.keys.filter { Self.isOwner($0, of: metadata) }
    for owner in owners.isEmpty ? [client] : owners { parts[owner, default: CacheDocument()].put(metadata) }
  }

  private mutating func leaveOver(
    _ name: String, _ value: JSONValue, of section: CacheSection, if isKept: Bool, isReadable: Bool = false
  ) {
    if !isReadable { unreadable += 1 }
    if isKept { parts[Self.leftovers, default: CacheDocument()][section][name] = value }
  }
}
