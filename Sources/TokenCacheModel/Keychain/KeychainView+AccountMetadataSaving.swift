// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension KeychainView {
  /// Saves what a client knows of its accounts.
  ///
  /// Sign-in states and the principal account are this app's alone, though on Apple's systems they are the
  /// client's. Signing out forgets the account's authorities and no credentials: those go with
  /// ``TokenCache/signOut(_:)`` or by their keys. Accounts that the metadata leaves out stay as they are; to
  /// forget one is ``removeAccountMetadata(homeAccountID:)``. A principal account that it leaves out is forgotten.
  ///
  /// - Throws: `invalidArgument` for a blank id, and for a sign-in state or a principal account when no app is
  ///   acting; `corruptItem` when a record of the client can't be read, and then nothing is written; and whatever
  ///   the back end throws, and then a part may have been written: save it again.
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

  /// Saves what the client's own records hold: the authorities in the one of the view's environment, the principal
  /// account in the one of its own, and in no other.
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
        var sharing = document.sharing
        if record == main { sharing.take(metadata) }
        if let app { sharing[principalOf: app] = principal }
        if sharing == document.sharing { return }
        document.sharing = sharing
        stored = document
      }
    }
  }
}

extension KeychainAccountMetadata {
  /// The sign-in states to save.
  fileprivate var states: [(identifier: String, state: SharingState.SignInState?)] {
    homeAccountIDs.map { ($0, self[$0]?.signInState) }
  }
}

extension SharingState {
  /// Takes up a client's metadata, less what stands elsewhere; accounts that it leaves out stay.
  fileprivate mutating func take(_ metadata: KeychainAccountMetadata) {
    var merged = KeychainAccountMetadata(clientID: metadata.clientID)
    merged.fields = accountMetadata ?? [:]
    let map = merged.fields[KeychainAccountMetadata.map]
    for (name, value) in metadata.fields { merged.fields[name] = value }
    merged.fields[KeychainAccountMetadata.map] = map
    for name in KeychainAccountMetadata.principalMembers { merged.fields[name] = nil }
    for identifier in metadata.homeAccountIDs {
      guard var account = metadata[identifier] else { continue }
      if account.signInState == .signedOut { account.fields[KeychainAccountState.map] = nil }
      let isKnown = account.signInState != nil || account.fields[KeychainAccountState.state] == "unknown"
      if isKnown { account.fields[KeychainAccountState.state] = nil }
      merged[identifier] = account
    }
    accountMetadata = merged.fields
  }

  /// Forgets an account's metadata.
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
