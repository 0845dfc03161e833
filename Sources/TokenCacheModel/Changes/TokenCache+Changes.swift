// SPDX-License-Identifier: MIT

extension TokenCache {
  /// What changes for this app: of the accounts that ``accounts()`` gives, their tokens for this client, and the group.
  ///
  /// A sign-in of a sibling app is told within a moment. Documents that can't be read are passed over. Changes at
  /// external providers are seen when something of the group changes; while one of them fails, their accounts stand as
  /// they were.
  public func changes() -> GroupChanges {
    let external = external.remembering()
    let adals: [RecordQuery] = readsADAL(at: authority) ? [.all(.legacy)] : []
    let queries = [.all(.credentials), .all(.family)] + adals + sourcesOfAccounts
    return GroupChanges(backend: backend, queries: queries) { [self] in
      let records = $0.filter(\.isReadable)
      let own = RecordKey.storedClient(clientID)
      return WatchedAccount.all(
        await external.merged(with: try await visible(records, among: records)),
        in: records.filter { $0.key.clientID == own || $0.key.kind == .family })
    }
  }
}

extension AccountDirectory {
  /// What changes in the group, whichever app and client it concerns.
  ///
  /// Documents that can't be read are passed over.
  public func changes() -> GroupChanges {
    GroupChanges(backend: backend, queries: [.all(.credentials), .all(.family), .all(.legacy)]) { [self] in
      let records = $0.filter(\.isReadable)
      return WatchedAccount.all(try accounts(among: records), in: records)
    }
  }
}

extension Record {
  fileprivate var isReadable: Bool { (try? document()) != nil }
}
