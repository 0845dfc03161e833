// SPDX-License-Identifier: MIT

import UnifiedCache

extension TokenCache {
  /// Returns the changes for this app: of the accounts in ``accounts(includingSignedOut:)``, of their tokens for this
  /// client, and of the group.
  ///
  /// Another app's sign-in is reported within a moment. Documents that can't be read are left out. Changes at external
  /// providers are noticed together with a change of the group. While a provider fails, the accounts of all providers
  /// stay as last known. The identity broker's accounts are reported once the group has a token for them.
  public func changes() -> GroupChanges {
    let external = external.remembering()
    let queries = [.all(.credentials), .all(.family)] + legacyRecords + sourcesOfAccounts
    return GroupChanges(backend: backend, queries: queries) { [self] in
      let records = $0.filter(\.isReadable)
      let own = RecordKey.storedClient(clientID)
      return AccountFingerprint.all(
        await external.merged(with: try await visible(records, among: records)),
        in: records.filter { $0.key.clientID == own || $0.key.kind == .family }, options.legacySignIns)
    }
  }
}

extension AccountDirectory {
  /// Returns the changes of the group, for all apps and clients.
  ///
  /// Documents that can't be read are left out.
  public func changes() -> GroupChanges {
    return GroupChanges(backend: backend, queries: accountRecords + [.all(.groupData)]) { [self] in
      let records = $0.filter(\.isReadable)
      let aliases = EnvironmentAliases(
        in: try records.first { $0.key == EnvironmentAliases.record }?.document())
      return AccountFingerprint.all(accounts(among: records, aliases), in: records, legacySignIns)
    }
  }
}

extension Record {
  fileprivate var isReadable: Bool { (try? document()) != nil }
}
