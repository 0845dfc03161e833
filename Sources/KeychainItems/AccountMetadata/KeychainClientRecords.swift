// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// The stored records of a client, from which its account metadata is assembled.
struct KeychainClientRecords {
  typealias Stored = (key: RecordKey, document: CacheDocument)

  let app: AppIdentifier?
  /// The host of the accounts that the metadata names.
  let host: String
  /// The client's own records, the one of that host first.
  let clients: [Stored]
  /// The records of the client's accounts.
  let credentials: [Stored]
  private let byAccount: [String: [Stored]]

  /// Reads the records.
  ///
  /// - Throws: `corruptItem` when a record can't be read, because the states would be incomplete.
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
    let stored = try read(credentials)
    self.credentials = stored
    byAccount = Dictionary(grouping: stored, by: \.key.account)
  }

  /// Returns an account's records of ``host``; for an Azure AD ID without any there, those of all clouds.
  ///
  /// Azure AD IDs are unique across clouds.
  func records(of homeAccountID: String) -> [Stored] {
    let id = HomeAccountID(homeAccountID)
    let all = byAccount[id.stored] ?? []
    let here = all.filter { $0.key.environment == host }
    return here.isEmpty && id.isAzureAD ? all : here
  }

  /// Returns whether the app is signed in to an account; `nil` when that is not known.
  func state(of homeAccountID: String) -> CacheDocument.SignInState? {
    let states = records(of: homeAccountID).compactMap { $0.document.metadata[app] }
    return states.contains(.signedIn) ? .signedIn : states.first
  }

  /// Returns the client's metadata; `nil` when there is none.
  func metadata(_ clientID: String) -> KeychainAccountMetadata? {
    var fields: JSONObject = ["client_id": .string(clientID)]
    for member in clients.compactMap(\.document.metadata.accountMetadata).joined()
    where fields[member.key] == nil { fields[member.key] = member.value }
    guard var metadata = try? KeychainAccountMetadata(fields: fields) else { return nil }
    metadata.update(metadata.homeAccountIDs + signedInOrOut) { identifier, known in
      var account = known ?? KeychainAccountState(fields: [:])
      let state = state(of: identifier)
      if state != nil || account.fields[KeychainAccountState.state] == nil { account.signInState = state }
      return account
    }
    metadata.principal = principal
    return fields.count > 1 || metadata.principal != nil || !metadata.homeAccountIDs.isEmpty ? metadata : nil
  }

  /// The accounts that the app has signed in to or out of.
  ///
  /// An account outside Azure AD is missing when all its entries were removed: its record's key holds only a digest
  /// of the ID.
  private var signedInOrOut: [String] {
    credentials.compactMap { stored in
      guard stored.document.metadata[app] != nil else { return nil }
      let document = stored.document
      let identifier =
        document.credentials.first?.homeAccountID ?? document.accounts.first?.homeAccountID
        ?? stored.key.account
      let isRecorded = records(of: identifier).contains { $0.key == stored.key }
      return isRecorded ? identifier : nil
    }
  }

  private var principal: KeychainPrincipalAccount? {
    guard let app else { return nil }
    var found = clients.lazy.compactMap { $0.document.metadata[principalOf: app] }.first
    if let known = found, known.username == nil, known.environment == nil {
      let accounts = records(of: known.homeAccountID).flatMap(\.document.datedAccounts)
      let account = accounts.min { $0.precedes($1) }?.entry
      found?.username = account?.username
      found?.environment = account?.environment
    }
    return found
  }
}
