// SPDX-License-Identifier: MIT

import FoundationEssentials

/// How one record takes up what an import has for it.
struct RecordMerge {
  /// What came of it.
  enum Outcome: Sendable {
    case added, updated, unchanged, signedOut
  }

  let incoming: CacheDocument
  let replaces: Bool

  /// Merges into what is stored.
  func apply(to stored: inout CacheDocument?) -> Outcome {
    guard var document = stored else {
      stored = incoming
      return .added
    }
    if replaces { return replace(&stored, keeping: document.sharing) }
    if document.isSignedOut(for: nil) { return .signedOut }
    let before = document
    let isNewer = incoming.newest > document.newest
    for credential in incoming.credentials
    where isWanted(credential, in: before, batchIsNewer: isNewer) {
      document.put(credential)
      if credential.kind.section == .refreshToken {
        document.sharing.refreshTokenAt = incoming.sharing.refreshTokenAt
      }
    }
    let lacksAccounts = document.accounts.isEmpty
    for account in incoming.accounts {
      let isKnown = document.accounts.contains { $0.isSame(as: account) }
      if lacksAccounts || !isKnown || isNewer { document.put(account) }
    }
    for metadata in incoming.appMetadata
    where isNewer || !document.appMetadata.contains(where: { $0.isSame(as: metadata) }) {
      document.put(metadata)
    }
    document.addMembers(of: incoming)
    if document == stored { return .unchanged }
    stored = document
    return .updated
  }

  /// Puts what an import has in the place of what is stored; what apps of the client did stays, but for
  /// signing out.
  private func replace(_ stored: inout CacheDocument?, keeping sharing: SharingState) -> Outcome {
    var document = incoming
    document.sharing = sharing
    document.sharing.refreshTokenAt = incoming.sharing.refreshTokenAt
    document.sharing.forgetSignedOutApps()
    if document == stored { return .unchanged }
    stored = document
    return .updated
  }

  private func isWanted(_ credential: CredentialEntry, in document: CacheDocument, batchIsNewer: Bool) -> Bool
  {
    guard let stored = document.credentials.first(where: { $0.identity == credential.identity }) else {
      return true
    }
    switch credential.kind.section {
    case .accessToken: return credential.cachedAt ?? .distantPast > stored.cachedAt ?? .distantPast
    case .refreshToken:
      return incoming.sharing.refreshTokenAt ?? .distantPast > document.sharing.refreshTokenAt ?? .distantPast
    default: return batchIsNewer
    }
  }
}

extension CacheDocument {
  /// When the youngest token was stored.
  var newest: Date {
    (credentials.compactMap(\.modifiedAt) + [sharing.refreshTokenAt ?? .distantPast]).max() ?? .distantPast
  }

  /// Takes over entries that can't be read and members of unknown sections, where there is none of that name.
  mutating func addMembers(of other: CacheDocument) {
    for section in CacheSection.allCases {
      for (name, value) in other[section] where self[section][name] == nil && !Self.isReadable(value, section)
      {
        self[section][name] = value
      }
    }
    for (name, value) in other.root where CacheSection(rawValue: name) == nil && self[member: name] == nil {
      self[member: name] = value
    }
  }

  private static func isReadable(_ value: JSONValue, _ section: CacheSection) -> Bool {
    switch section {
    case .account: AccountEntry(value) != nil
    case .appMetadata: AppMetadataEntry(value) != nil
    default: CredentialEntry(value, section: section) != nil
    }
  }
}
