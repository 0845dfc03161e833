// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainItems
import TokenCacheModel

@testable import UnifiedCache

extension Decoder {
  /// Checks a cache document.
  ///
  /// Every entry must be readable, and nothing may be lost by writing and reading it again.
  func checkDocument(_ bytes: [UInt8]) {
    let document: CacheDocument
    do {
      document = try CacheDocument(parsing: bytes)
    } catch {
      expectNoSecret(of: bytes, in: error)
      return
    }
    let written = document.serialized()
    let reread = expectNoError("what was written can be read") { try CacheDocument(parsing: written) }
    expect(reread == document, "a document that was written and read again is the same")
    expect(reread.hashValue == document.hashValue, "equal documents have one hash")
    expect(reread.serialized() == written, "the same document is written in the same way")
    expect(reread.credentials == document.credentials, "credentials survive")
    expect(reread.accounts == document.accounts, "accounts survive")
    expect(reread.appMetadata == document.appMetadata, "what is known of clients survives")
    expect(reread.metadata == document.metadata, "our own section survives")
    checkEntries(of: document)
    expectNoSecret(of: bytes, in: document)
    expectNoSecret(of: bytes, in: document.metadata)
    expectNoSecret(of: bytes, in: document.credentials)
    expectNoSecret(of: bytes, in: document.accounts)
    expectNoSecret(of: bytes, in: document.appMetadata)
  }

  /// Checks the entries of a document.
  private func checkEntries(of document: CacheDocument) {
    expect(document.hasTokens == !document.credentials.isEmpty, "a document with credentials has tokens")
    for credential in document.credentials { checkCredential(credential) }
    for account in document.accounts {
      expect(!account.homeAccountID.isEmpty && !account.environment.isEmpty, "an account is somebody's")
      expect(account.localAccountID != "", "an id is not empty")
      expect(account.realm == account["realm"] ?? "", "a realm is what is stored")
      expect(account.username == account["username"] ?? "", "a name is what is stored")
      expect(KeychainItemKey(of: account).type != nil, "an account has a place in a keychain")
    }
    for metadata in document.appMetadata {
      expect(!metadata.clientID.isEmpty && !metadata.environment.isEmpty, "metadata is some client's")
      expect(metadata.familyID.isEmpty || metadata.fields["family_id"] != nil, "a family is stored")
      expect(KeychainItemKey(of: metadata).type != nil, "metadata has a place in a keychain")
    }
    let (signedIn, signedOut) = (document.metadata.apps(.signedIn), document.metadata.apps(.signedOut))
    expect(Set(signedIn).isDisjoint(with: signedOut), "no app is both signed in and signed out")
  }

  /// Checks a credential.
  private func checkCredential(_ credential: CredentialEntry) {
    let required = [credential.secret, credential.environment, credential.clientID]
    expect(!required.contains(""), "a credential has all that it needs")
    expect(
      credential.kind.isAccessToken || credential.homeAccountID != "",
      "every credential but a client's own access token has an account")
    expect(credential.familyID != "", "a family has a name")
    expect(credential.realm == credential.fields["realm"]?.stringValue, "a realm is what is stored")
    expect(credential.tokenType == nil || credential.fields.count > 4, "a scheme is stored")
    checkScopeSet(credential.scopes)
    let times = [
      credential.cachedAt, credential.expiresOn, credential.extendedExpiresOn, credential.refreshOn,
    ]
    for case let time? in times {
      expect(0...9_999_999_999_999 ~= time.timeIntervalSince1970, "times are sane")
    }
    expect(CredentialKind(name: credential.kind.rawValue) == credential.kind, "a kind has a name")
    var fields = credential.fields
    fields["credential_type"] = .string(credential.kind.rawValue)
    let made = expectNoError("a credential can be made") { try CredentialEntry(fields: fields) }
    expect(made.kind == credential.kind && made.fields == fields, "a credential is its members")
    let key = KeychainItemKey(of: credential)
    expect(KeychainItemKey(of: made) == key, "a credential has one place in a keychain")
  }
}
