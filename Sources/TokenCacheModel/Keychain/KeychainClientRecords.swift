// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// What the store has of a client, from which its account metadata is put together.
struct KeychainClientRecords {
  typealias Stored = (key: RecordKey, document: CacheDocument)

  let app: AppIdentifier?
  /// The host of the accounts that metadata means.
  let host: String
  /// The client's own records, the one of that host first.
  let clients: [Stored]
  /// The records of its accounts.
  let credentials: [Stored]

  /// - Throws: `corruptItem` when a record can't be read: nobody's state is known then.
  init(app: AppIdentifier?, host: String, clients: [Record], credentials: [Record]) throws(SecretStoreError) {
    func read(_ records: [Record]) throws(SecretStoreError) -> [Stored] {
      var stored: [Stored] = []
      for record in records { stored.append((record.key, try record.document())) }
      return stored.sorted { left, right in
        (left.key.environment == host ? 0 : 1, left.key.environment)
          < (right.key.environment == host ? 0 : 1, right.key.environment)
      }
    }
    self.app = app
    self.host = host
    self.clients = try read(clients)
    self.credentials = try read(credentials)
  }

  /// The records of an account: those of ``host``, else, for an id of Azure AD's, which no other cloud has, any.
  func records(of homeAccountID: String) -> [Stored] {
    let account = RecordKey.storedAccount(homeAccountID)
    let all = credentials.filter { $0.key.account == account }
    let here = all.filter { $0.key.environment == host }
    return here.isEmpty && account == homeAccountID.lowercased() ? all : here
  }

  /// Whether the app is signed in to an account.
  func state(of homeAccountID: String) -> SharingState.SignInState? {
    let states = records(of: homeAccountID).compactMap { $0.document.sharing[app] }
    return states.contains(.signedIn) ? .signedIn : states.first
  }

  /// The client's metadata; `nil` when nothing is known.
  func metadata(_ clientID: String) -> KeychainAccountMetadata? {
    var fields: JSONObject = ["client_id": .string(clientID)]
    for member in clients.compactMap(\.document.sharing.accountMetadata).joined()
    where fields[member.key] == nil { fields[member.key] = member.value }
    guard var metadata = try? KeychainAccountMetadata(fields: fields) else { return nil }
    for identifier in metadata.homeAccountIDs + signedInOrOut {
      var account = metadata[identifier] ?? KeychainAccountState(fields: [:])
      let state = state(of: identifier)
      if state != nil || account.fields[KeychainAccountState.state] == nil { account.signInState = state }
      metadata[identifier] = account
    }
    metadata.principal = principal
    return fields.count > 1 || metadata.principal != nil || !metadata.homeAccountIDs.isEmpty ? metadata : nil
  }

  /// The accounts that the app has signed in to or out of.
  ///
  /// Of an account outside Azure AD, all of whose entries were removed, only the id's digest is known: it is missing.
  private var signedInOrOut: [String] {
    credentials.compactMap { stored in
      guard stored.document.sharing[app] != nil else { return nil }
      let document = stored.document
      let identifier =
        document.credentials.first?.homeAccountID ?? document.accounts.first?.homeAccountID
        ?? stored.key.account
      let isMeant = records(of: identifier).contains { $0.key == stored.key }
      return isMeant ? identifier : nil
    }
  }

  private var principal: KeychainPrincipalAccount? {
    guard let app else { return nil }
    var found = clients.lazy.compactMap { $0.document.sharing[principalOf: app] }.first
    if let known = found, known.username == nil, known.environment == nil {
      let accounts = records(of: known.homeAccountID).flatMap(\.document.accounts)
      let account = accounts.first { !$0.username.isEmpty } ?? accounts.first
      found?.username = account?.username
      found?.environment = account?.environment
    }
    return found
  }
}
