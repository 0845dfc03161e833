// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

extension KeychainView {
  /// Saves a client's account metadata.
  ///
  /// Sign-in states and the principal account are kept for this app only; on Apple's systems they are shared by the
  /// client's apps. Signing out removes the account's authorities but no credentials; remove those with
  /// ``TokenCache/signOut(_:)`` or by their keys. Accounts that the metadata does not contain stay as they are;
  /// remove one with ``removeAccountMetadata(homeAccountID:)``. If the metadata has no principal account, the
  /// stored one is removed.
  ///
  /// - Throws: `invalidArgument` for an ID that is blank, has white space around it or holds a control character,
  ///   and for a sign-in state or a principal account when no app is acting; `corruptItem` when a record of the
  ///   client can't be read, and nothing is written then. Errors of the back end; part of the metadata may have
  ///   been written then: save it again.
  public func save(_ metadata: KeychainAccountMetadata) async throws {
    try metadata.check()
    for identifier in metadata.homeAccountIDs { try Self.check(homeAccountID: identifier) }
    if app == nil, metadata.principal != nil || metadata.states.contains(where: { $0.state != nil }) {
      throw SecretStoreError(.invalidArgument, "Only an app is signed in or out, or has a principal account.")
    }
    let records = try await records(ofClient: metadata.clientID)
    if app != nil {
      for (identifier, state) in metadata.states {
        var stored = records.records(of: identifier).map(\.key)
        if stored.isEmpty {
          stored = [
            .credentials(
              homeAccountID: identifier, environment: records.host, clientID: metadata.clientID)
          ]
        }
        for record in stored { try await set(state, in: record) }
      }
    }
    try await saveClient(metadata, records)
  }

  /// Saves the client's own records: the authorities in the record of the view's environment, the principal account
  /// in the record of its own environment only.
  private func saveClient(_ metadata: KeychainAccountMetadata, _ records: KeychainClientRecords) async throws
  {
    let main = RecordKey.client(metadata.clientID, environment: records.host)
    var principals = main
    if let host = metadata.principal?.environment {
      principals = .client(metadata.clientID, environment: try await canonical(host))
    }
    for record in Set(records.clients.map(\.key) + [main, principals]) {
      let principal = record == principals ? metadata.principal : nil
      try await backend.update(record) { [app] stored in
        var document = stored ?? CacheDocument()
        var documentMetadata = document.metadata
        if record == main { documentMetadata.merge(metadata) }
        if let app { documentMetadata[principalOf: app] = principal }
        if documentMetadata == document.metadata { return }
        document.metadata = documentMetadata
        stored = document
      }
    }
  }
}

extension KeychainAccountMetadata {
  /// The sign-in states to save.
  fileprivate var states: [(identifier: String, state: CacheDocument.SignInState?)] {
    homeAccountIDs.map { ($0, self[$0]?.signInState) }
  }
}

extension DocumentMetadata {
  /// Merges a client's metadata without sign-in states and principal account; accounts that it does not contain
  /// stay.
  fileprivate mutating func merge(_ metadata: KeychainAccountMetadata) {
    var merged = KeychainAccountMetadata(clientID: metadata.clientID)
    merged.fields = accountMetadata ?? [:]
    let map = merged.fields[KeychainAccountMetadata.map]
    for (name, value) in metadata.fields { merged.fields[name] = value }
    merged.fields[KeychainAccountMetadata.map] = map
    for name in KeychainAccountMetadata.principalMembers { merged.fields[name] = nil }
    merged.update(metadata.homeAccountIDs) { identifier, known in
      guard var account = metadata[identifier] else { return known }
      if account.signInState == .signedOut { account.fields[KeychainAccountState.map] = nil }
      let isKnown = account.signInState != nil || account.fields[KeychainAccountState.state] == "unknown"
      if isKnown { account.fields[KeychainAccountState.state] = nil }
      return account
    }
    accountMetadata = merged.fields
  }

  /// Removes an account's metadata.
  ///
  /// - Returns: Whether there was any.
  mutating func forgetAccount(_ homeAccountID: String) -> Bool {
    guard let stored = accountMetadata else { return false }
    var metadata = KeychainAccountMetadata(clientID: "")
    metadata.fields = stored
    guard metadata[homeAccountID] != nil else { return false }
    metadata[homeAccountID] = nil
    accountMetadata = metadata.fields
    return true
  }
}
