// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The clients that may use a family's refresh token, as the group's records state.
///
/// A client's documents name its family, if any. A client without app metadata counts as a member of family `1`, as in
/// a silent call.
package struct FamilyUse: Sendable {
  let backend: any TokenCacheBackend

  package init(backend: any TokenCacheBackend) {
    self.backend = backend
  }

  /// Returns whether a client of the family holds tokens of its own for the account.
  package func isUsed(_ family: RecordKey) async throws -> Bool {
    guard family.hasFamilies else { return false }
    let query = RecordQuery(credentialsOfAccountIn: family)
    for record in try await backend.records(matching: query) {
      // An unreadable record may be in use.
      guard let document = try? record.document() else { return true }
      if document.hasTokens, try await self.family(of: record.key, document) == family.familyID {
        return true
      }
    }
    return false
  }

  /// Returns whether a client without tokens for an account could use it through its family's refresh token.
  package func canRedeem(_ homeAccountID: String, environment: String, clientID: String) async throws -> Bool
  {
    let key = RecordKey.credentials(
      homeAccountID: homeAccountID, environment: environment, clientID: clientID)
    guard let own = try await family(of: key, backend.record(for: key)?.document()) else { return false }
    return try await hasTokens(of: homeAccountID, environment: environment, family: own)
  }

  /// Returns whether a client of a family gets tokens for an account through the family.
  ///
  /// - Parameter family: By default the family that a client without app metadata counts as a member of.
  package func hasTokens(
    of homeAccountID: String, environment: String, family own: String = "1"
  ) async throws -> Bool {
    guard HomeAccountID(homeAccountID).hasFamilies(at: environment) else { return false }
    let families = try await backend.records(
      matching: .all(.family, homeAccountID: homeAccountID, environment: environment))
    if families.contains(where: { $0.key.familyID == own && $0.mayHaveTokens }) { return true }
    // The account is also listed when another client's document names a family.
    let records = try await backend.records(
      matching: .all(.credentials, homeAccountID: homeAccountID, environment: environment))
    return records.contains { record in
      guard let document = try? record.document(), document.hasTokens else { return false }
      return document.appMetadata.contains { !$0.familyID.isEmpty }
    }
  }

  /// Returns whether a client may be in a family: unless its own record says otherwise, it may be in family `1`.
  func mayRedeem(_ family: String?, environment: String, clientID: String) async throws -> Bool {
    let key = RecordKey.credentials(homeAccountID: "", environment: environment, clientID: clientID)
    return try await self.family(of: key, nil) == family
  }

  /// Returns the family of a client; `nil` for a client that is known to be in none.
  private func family(of key: RecordKey, _ document: CacheDocument?) async throws -> String? {
    func known(_ document: CacheDocument?) -> String? {
      document?.appMetadata.first { $0.isOf(key.clientID) }?.familyID
    }
    if let family = known(document) { return family.isEmpty ? nil : family }
    let client = RecordKey.client(key.clientID, environment: key.environment)
    guard case .success(let own)? = try await backend.record(for: client)?.content, let family = known(own)
    else {
      return "1"
    }
    return family.isEmpty ? nil : family
  }
}

extension Record {
  /// Whether the record has tokens, or can't be read.
  fileprivate var mayHaveTokens: Bool { (try? document())?.hasTokens != false }
}
