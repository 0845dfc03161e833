// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import UnifiedCache

extension TokenCache {
  /// Returns the stored credentials of an account: this client's, and its family's refresh tokens.
  ///
  /// This is for identity libraries, which store more than bearer tokens. Expired credentials are included. An app that
  /// has signed out of the account gets none.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - kinds: The kinds of the credentials.
  /// - Returns: The credentials, the most recently cached first, then by key; none for an unknown account.
  /// - Throws: `corruptItem` when a document can't be read, and whatever the back end throws.
  public func credentials(
    of account: Account, kinds: Set<CredentialKind> = Set(CredentialKind.allCases)
  ) async throws -> [CredentialEntry] {
    try await credentials(of: account, matching: CredentialQuery(kinds))
  }

  package func credentials(
    of account: Account, matching query: CredentialQuery
  ) async throws -> [CredentialEntry] {
    let key = key(account, try await aliases(of: account))
    let own = try await backend.record(for: key)?.document()
    if own?.isSignedOut(for: app) == true { return [] }
    var entries = own?.credentials ?? []
    let families = Set(own?.appMetadata.map(\.familyID).filter { !$0.isEmpty } ?? [])
    for family in families {
      let shared = try await backend.record(
        for: .family(homeAccountID: account.identifier, environment: key.environment, familyID: family))
      entries += try shared?.document().credentials ?? []
    }
    return query.matches(in: entries)
  }

  /// Saves a credential unchanged and replaces the same one.
  ///
  /// This is for credentials that no token response contains, such as a refresh token that is bound to a device. The
  /// credential goes to the record of its account and this client, and this app counts as signed in. An otherwise
  /// unknown account is listed by its identifier, without a user name. A credential with a `user_assertion_hash` signs
  /// nobody in, and an access token without an account is the client's own.
  ///
  /// - Throws: `invalidArgument` when the credential is another client's or a family's; `corruptItem` when
  ///   the stored record can't be read; and whatever the back end throws.
  public func save(_ credential: CredentialEntry) async throws {
    guard RecordKey.storedClient(credential.clientID) == RecordKey.storedClient(clientID),
      credential.familyID == nil
    else { throw SecretStoreError(.invalidArgument, "The credential is not this client's own.") }
    let environment = try await environment(of: credential)
    let credential = environment == credential.environment ? credential : credential.under(environment)
    try await backend.update(CachePartitioner.owner(of: credential)) { [app, clock] stored in
      var document = stored ?? CacheDocument()
      document.put(credential)
      if credential.isAppToken {
        stored = document
        return
      }
      if credential.kind == .refreshToken { document.metadata.refreshTokenAt = clock.now() }
      if document.accounts.isEmpty { document.put(AccountEntry(of: credential, environment: environment)) }
      if credential.userAssertionHash == nil { document.metadata[app] = .signedIn }
      stored = document
    }
  }

  /// Returns the environment to store a credential under: the authority's issuer, if the credential names its host.
  private func environment(of credential: CredentialEntry) async throws -> String {
    if let issuer = authority.issuer, issuer.isAt(credential.environment) { return issuer.text }
    guard authority.kind == .aad else { return credential.environment }
    return try await aliases(for: authority).canonical(credential.environment)
  }
}
