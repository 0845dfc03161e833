// SPDX-License-Identifier: MIT

/// A document with an index of its entries by identity.
///
/// Work on many entries takes time in proportion to their number.
package struct IndexedDocument {
  private var base: CacheDocument
  private var credentials: [CacheSection: IndexedSection<CredentialEntry>] = [:]
  private var accounts: IndexedSection<AccountEntry>?
  private var appMetadata: IndexedSection<AppMetadataEntry>?

  package init(_ document: CacheDocument = CacheDocument()) { base = document }

  /// The document, with all entries that were put into it.
  package var document: CacheDocument {
    var document = base
    for section in CacheSection.credentials {
      if let indexed = credentials[section] { document[section] = indexed.finished }
    }
    if let accounts { document[.account] = accounts.finished }
    if let appMetadata { document[.appMetadata] = appMetadata.finished }
    return document
  }

  /// The document's metadata.
  package var metadata: DocumentMetadata {
    get { base.metadata }
    set { base.metadata = newValue }
  }

  /// Returns the stored credential with the same identity.
  package mutating func stored(_ credential: CredentialEntry) -> CredentialEntry? {
    let section = credential.kind.section
    index(section)
    return credentials[section]?.entry(credential.identity)
  }

  /// Returns the stored account with the same identity.
  package mutating func stored(_ account: AccountEntry) -> AccountEntry? {
    indexAccounts()
    return accounts?.entry(account.identity)
  }

  /// Returns the stored app metadata of the same client.
  package mutating func stored(_ metadata: AppMetadataEntry) -> AppMetadataEntry? {
    indexAppMetadata()
    return appMetadata?.entry(metadata.identity)
  }

  /// Writes a credential in place of the same credential, and keeps the unknown members of that one.
  package mutating func put(_ credential: CredentialEntry) {
    index(credential.kind.section)
    credentials[credential.kind.section]?.put(credential)
  }

  /// Writes an account over the same account, and keeps the members that only the stored one has.
  package mutating func put(_ account: AccountEntry) {
    indexAccounts()
    accounts?.put(account)
  }

  /// Writes app metadata over that of the same client.
  package mutating func put(_ metadata: AppMetadataEntry) {
    indexAppMetadata()
    appMetadata?.put(metadata)
  }

  private mutating func index(_ section: CacheSection) {
    if credentials[section] == nil { credentials[section] = IndexedSection(section, of: base) }
  }

  private mutating func indexAccounts() {
    if accounts == nil { accounts = IndexedSection(.account, of: base) }
  }

  private mutating func indexAppMetadata() {
    if appMetadata == nil { appMetadata = IndexedSection(.appMetadata, of: base) }
  }
}
