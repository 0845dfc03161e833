// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension CacheDocument {
  /// The credentials that can be read, in the order they are stored.
  public var credentials: [CredentialEntry] {
    CacheSection.credentials.flatMap { section in
      self[section].compactMap { CredentialEntry($0.value, section: section) }
    }
  }

  /// The accounts that can be read.
  public var accounts: [AccountEntry] { self[.account].compactMap { AccountEntry($0.value) } }

  /// What is known of clients.
  public var appMetadata: [AppMetadataEntry] { self[.appMetadata].compactMap { AppMetadataEntry($0.value) } }

  /// Whether the document holds a token.
  public var hasTokens: Bool {
    CacheSection.credentials.contains { section in
      self[section].contains { CredentialEntry($0.value, section: section) != nil }
    }
  }

  /// Whether the account is signed out for an app: the app signed out, or all tokens were taken away and the
  /// app has not signed in since.
  ///
  /// `nil` stands for the person at the keyboard.
  func isSignedOut(for app: AppIdentifier?) -> Bool {
    switch sharing[app] {
    case .signedOut: true
    case .signedIn: false
    case nil: sharing.epoch > 0 && !hasTokens
    }
  }

  /// Writes a credential in place of the same one under whatever key, keeping that one's unknown members.
  mutating func put(_ credential: CredentialEntry) {
    let section = credential.kind.section
    var entries = self[section]
    var written = credential
    for (key, value) in entries {
      guard let stored = CredentialEntry(value, section: section), stored.identity == credential.identity
      else { continue }
      written = written.keepingUnknownFields(of: stored)
      entries[key] = nil
    }
    let distinction = [
      written.homeAccountID, written.answeredScopes.target, written.boundDeviceID ?? "", written.realm ?? "",
      written.distinctOwner,
    ]
    .joined(separator: " ")
    entries[Self.freeKey(written.key, distinction, in: entries)] = .object(written.fields)
    self[section] = entries
  }

  /// The key, or one beside it when another entry has it: keys are in lower case, and outside Azure AD ids that
  /// differ by case are two.
  private static func freeKey(_ key: String, _ distinction: String, in entries: JSONObject) -> String {
    entries[key] == nil ? key : "\(key)-\(Digest.hex(distinction).prefix(16))"
  }

  /// Writes an account over the same one, keeping what only that one has.
  mutating func put(_ account: AccountEntry) {
    var entries = self[.account]
    var written = account
    for (key, value) in entries {
      guard let stored = AccountEntry(value), stored.isSame(as: account) else { continue }
      written = written.merged(over: stored)
      entries[key] = nil
    }
    if written.fields["username"] == nil { written.fields["username"] = "" }
    entries[Self.freeKey(written.key, written.homeAccountID, in: entries)] = .object(written.fields)
    self[.account] = entries
  }

  /// Writes what is known of a client over what was, keeping members that this version doesn't know.
  mutating func put(_ metadata: AppMetadataEntry) {
    var entries = self[.appMetadata]
    var written = metadata
    for (key, value) in entries {
      guard let stored = AppMetadataEntry(value), stored.isSame(as: metadata) else { continue }
      written = written.merged(over: stored)
      entries[key] = nil
    }
    entries[Self.freeKey(written.key, written.clientID, in: entries)] = .object(written.fields)
    self[.appMetadata] = entries
  }

  /// Removes the credentials that fit.
  mutating func removeCredentials(where fits: (CredentialEntry) -> Bool) {
    for section in CacheSection.credentials {
      var entries = self[section]
      for (key, value) in entries {
        if let stored = CredentialEntry(value, section: section), fits(stored) { entries[key] = nil }
      }
      self[section] = entries
    }
  }

  /// Removes all that a peer's cache can hold, and leaves our own section.
  mutating func removeAllEntries() {
    removeTokensAndAccounts()
    self = CacheDocument(sharing: sharing)
  }

  /// Removes every token and account, and leaves what is known of the client and of its apps.
  mutating func removeTokensAndAccounts() {
    sharing.rememberNames(accounts.map(\.username))
    for section in CacheSection.credentials + [.account] { self[section] = [:] }
    if sharing.fields["tenants"] != nil { sharing.fields["tenants"] = nil }
  }
}
