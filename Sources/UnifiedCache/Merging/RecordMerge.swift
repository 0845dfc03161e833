// SPDX-License-Identifier: MIT

package import FoundationEssentials
package import StrictJSON

/// The merge of imported entries into one record.
///
/// Where the record would become too large, access tokens are left out, those that have expired first.
package struct RecordMerge {
  /// The outcome of a merge.
  package enum Outcome: Sendable {
    case added, updated, unchanged, signedOut, conflicting

    /// Returns the outcome after the record, if it was unchanged, is made one that the back end writes.
    ///
    /// - Parameter replaces: Whether the copies of others go.
    package func writing(
      _ stored: inout CacheDocument?, if isOfOthers: Bool, replaces: Bool
    ) -> Outcome {
      guard isOfOthers, self == .unchanged else { return self }
      if replaces { stored?.metadata.removalCount += 1 } else { stored?.metadata.revision += 1 }
      return .added
    }
  }

  let incoming: CacheDocument
  let replaces: Bool
  let signOutNumberOfOthers: Int?
  let knownSignOutNumber: Int?
  let freshness: Freshness

  /// Creates a merge.
  ///
  /// - Parameters:
  ///   - signOutNumberOfOthers: Where only other programs have a copy of the record, its sign-out number;
  ///     otherwise `nil`. Then the group gets one of its own, even if the import changes nothing of it.
  ///   - knownSignOutNumber: For a record of several accounts, the sign-out number that the imported document takes into
  ///     account; `nil` for an account's record.
  package init(
    incoming: CacheDocument, replaces: Bool, signOutNumberOfOthers: Int? = nil,
    knownSignOutNumber: Int? = nil,
    freshness: Freshness
  ) {
    var incoming = incoming
    incoming.makeRoom(at: freshness.now)
    self.incoming = incoming
    self.replaces = replaces
    self.signOutNumberOfOthers = signOutNumberOfOthers
    self.knownSignOutNumber = knownSignOutNumber
    self.freshness = freshness
  }

  /// Merges the imported document into the stored one.
  package func apply(to stored: inout CacheDocument?) -> Outcome {
    merge(into: &stored).writing(&stored, if: signOutNumberOfOthers != nil, replaces: replaces)
  }

  private func merge(into stored: inout CacheDocument?) -> Outcome {
    func isSignedOut(_ document: CacheDocument) -> Bool {
      knownSignOutNumber.map { document.metadata.signOutNumber != $0 } ?? document.isSignedOut(for: nil)
    }
    // What only another program has signs nobody out; the group's own sign-out since then has another number.
    guard let before = stored,
      !isSignedOut(before) || before.metadata.signOutNumber != signOutNumberOfOthers
    else {
      stored = incoming
      return .added
    }
    if replaces { return replace(&stored, before) }
    if isSignedOut(before) { return .signedOut }
    var document = IndexedDocument(before)
    let renewed = mergeCredentials(into: &document)
    for account in incoming.accounts {
      let isRenewed = renewed.contains(account.identity)
      let known = isRenewed ? nil : document.stored(account)
      let filled = known.map { account.filling($0) } ?? account
      if filled != known { document.put(filled) }
    }
    for metadata in incoming.appMetadata where document.stored(metadata) == nil { document.put(metadata) }
    var merged = document.document
    merged.addMembers(of: incoming)
    merged.makeRoom(at: freshness.now)
    if merged == before { return .unchanged }
    stored = merged
    return .updated
  }

  /// Stores the credentials that are new, or newer than the stored ones.
  ///
  /// - Returns: The accounts whose ID tokens were replaced. Their account entries are replaced, too.
  private func mergeCredentials(into document: inout IndexedDocument) -> Set<AccountEntry.Identity> {
    let refreshTokens = document.document.refreshTokens.count
    let storedDate = refreshTokenDate(in: document.document)
    let incomingDate = refreshTokenDate(in: incoming)
    var renewed: Set<AccountEntry.Identity> = []
    for credential in incoming.credentials {
      let isRefreshToken = credential.kind.section == .refreshToken
      let date = freshness.date(of: credential) ?? (isRefreshToken ? incomingDate : nil)
      if let known = document.stored(credential) {
        let others = freshness.date(of: known) ?? (isRefreshToken ? storedDate : nil)
        guard freshness.isNewer(date, than: others) else { continue }
        if credential.kind.section == .idToken { renewed.insert(AccountEntry.identity(of: credential)) }
      }
      document.put(credential)
      if isRefreshToken, date != nil || refreshTokens == 0 { document.metadata.refreshTokenAt = date }
    }
    return renewed
  }

  /// Returns when a document's only refresh token was stored, from the metadata, because most entries don't hold the
  /// time.
  private func refreshTokenDate(in document: CacheDocument) -> Date? {
    document.refreshTokens.count == 1 ? freshness.plausible(document.metadata.refreshTokenAt) : nil
  }

  /// Replaces the stored document with the imported one.
  ///
  /// The metadata is kept, except that signed-out apps are no longer signed out.
  private func replace(_ stored: inout CacheDocument?, _ before: CacheDocument) -> Outcome {
    var document = incoming
    document.metadata = before.metadata
    if document.refreshTokens != before.refreshTokens {
      document.metadata.refreshTokenAt = incoming.metadata.refreshTokenAt
    }
    document.metadata.forgetSignedOutApps()
    if document == before { return .unchanged }
    document.metadata.removalCount += 1
    stored = document
    return .updated
  }
}

extension AccountEntry {
  /// Returns the identity of a credential's account.
  fileprivate static func identity(of credential: CredentialEntry) -> Identity {
    AccountEntry(
      homeAccountID: credential.homeAccountID, environment: credential.environment,
      realm: credential.realm ?? ""
    ).identity
  }

  /// Returns a stored account, with its missing members taken from this one.
  ///
  /// Stored values are kept, because an account entry has no date.
  fileprivate func filling(_ stored: AccountEntry) -> AccountEntry {
    var filled = stored
    for (name, value) in fields where value != "" && [nil, "", .null].contains(filled.fields[name]) {
      filled.fields[name] = value
    }
    return filled
  }
}

extension CacheDocument {
  /// The time when the newest token was stored.
  package var newest: Date {
    (credentials.compactMap(\.modifiedAt) + [metadata.refreshTokenAt ?? .distantPast]).max() ?? .distantPast
  }

  /// The secrets of the refresh tokens.
  fileprivate var refreshTokens: Set<String> {
    Set(credentials.filter { $0.kind.section == .refreshToken }.map(\.secret))
  }

  /// Adds the unreadable entries and the members of unknown sections that this document does not have.
  mutating func addMembers(of other: CacheDocument) {
    var unknown = UnknownEntries(in: self)
    unknown.add(other)
    self = unknown.document
  }

  /// Returns the number of such entries and members that this document has with another content, which stays.
  func conflicts(with other: CacheDocument) -> Int {
    var unknown = UnknownEntries(in: self)
    unknown.add(other.withoutMetadata)
    return unknown.conflicts
  }

  package static func isReadable(_ value: JSONValue, _ section: CacheSection) -> Bool {
    switch section {
    case .account: AccountEntry(value) != nil
    case .appMetadata: AppMetadataEntry(value) != nil
    default: CredentialEntry(value, section: section) != nil
    }
  }
}
