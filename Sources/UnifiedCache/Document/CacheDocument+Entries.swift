// SPDX-License-Identifier: MIT

import FoundationEssentials
package import KeychainGroupModel
package import StrictJSON

extension CacheDocument {
  /// The readable credentials, in the order in which they are stored.
  public var credentials: [CredentialEntry] {
    CacheSection.credentials.flatMap { section in
      self[section].compactMap { CredentialEntry($0.value, section: section, named: $0.key) }
    }
  }

  /// The readable accounts.
  public var accounts: [AccountEntry] {
    self[.account].compactMap { AccountEntry($0.value, named: $0.key) }
  }

  /// The readable accounts, each with the time at which the document's newest token was stored.
  package var datedAccounts: [DatedAccount] {
    let date = credentials.compactMap(\.modifiedAt).max() ?? .distantPast
    return accounts.map { DatedAccount(entry: $0, date: date) }
  }

  /// The readable app metadata.
  public var appMetadata: [AppMetadataEntry] {
    self[.appMetadata].compactMap { AppMetadataEntry($0.value, named: $0.key) }
  }

  /// Whether the document holds a readable credential.
  public var hasTokens: Bool {
    CacheSection.credentials.contains { section in
      self[section].contains { CredentialEntry($0.value, section: section) != nil }
    }
  }

  /// Whether the document holds a readable credential of a user who signed in.
  ///
  /// What a service holds on behalf of a user signs nobody in.
  package var hasSignIn: Bool {
    CacheSection.credentials.contains { section in
      self[section].contains { entry in
        guard let credential = CredentialEntry(entry.value, section: section) else { return false }
        return credential.userAssertionHash == nil && !credential.isAppToken
      }
    }
  }

  /// Returns whether the account is signed out for an app.
  ///
  /// It is when the app signed out, or when all tokens were removed by a sign-out and the app has not signed in since.
  /// `nil` stands for the user instead of an app: then only the removal of all tokens counts.
  package func isSignedOut(for app: AppIdentifier?) -> Bool {
    switch metadata[app] {
    case .signedOut: true
    case .signedIn: false
    case nil: metadata.signOutNumber > 0 && !hasSignIn
    }
  }

  /// Writes a credential in place of the same credential under any key, and keeps the unknown members of that one.
  package mutating func put(_ credential: CredentialEntry) { change { $0.put(credential) } }

  /// Writes an account over the same account, and keeps the members that only the stored one has.
  package mutating func put(_ account: AccountEntry) { change { $0.put(account) } }

  /// Writes app metadata over that of the same client, and keeps the members that only the stored one has.
  package mutating func put(_ metadata: AppMetadataEntry) { change { $0.put(metadata) } }

  private mutating func change(_ change: (inout IndexedDocument) -> Void) {
    var indexed = IndexedDocument(self)
    change(&indexed)
    self = indexed.document
  }

  /// Removes the credentials that satisfy a condition.
  package mutating func removeCredentials(where fits: (CredentialEntry) -> Bool) {
    for section in CacheSection.credentials {
      removeEntries(of: section) { CredentialEntry($0, section: section).map(fits) == true }
    }
  }

  /// Removes the accounts that satisfy the predicate.
  package mutating func removeAccounts(where fits: (AccountEntry) -> Bool) {
    removeEntries(of: .account) { AccountEntry($0).map(fits) == true }
  }

  /// Removes the entries of a section that satisfy a condition.
  package mutating func removeEntries(of section: CacheSection, where fits: (JSONValue) -> Bool) {
    var entries = self[section]
    entries.removeAll { fits($1) }
    if entries.count != self[section].count { self[section] = entries }
  }

  /// Whether the document holds anything besides this package's own section.
  package var holdsEntries: Bool { self != CacheDocument(metadata: metadata) }

  /// Removes everything except this package's own section.
  package mutating func removeAllEntries() {
    removeTokensAndAccounts()
    self = CacheDocument(metadata: metadata)
  }

  /// Removes all tokens and accounts, also of kinds that this version doesn't know.
  ///
  /// Only the app metadata and the sign-in states of apps stay.
  package mutating func removeTokensAndAccounts() {
    metadata.rememberNames(accounts.map(\.username))
    if metadata.fields["tenants"] != nil { metadata.fields["tenants"] = nil }
    var left = CacheDocument(metadata: metadata)
    left[.appMetadata] = self[.appMetadata]
    self = left
  }
}
