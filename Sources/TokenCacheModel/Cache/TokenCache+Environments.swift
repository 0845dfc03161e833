// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

extension TokenCache {
  /// Takes up which hosts are one cloud, for all apps of the group and from now on.
  ///
  /// The clouds that this package knows need no learning. For any other, make the authority with the kind `.aad` and
  /// hand in the answer of its instance discovery: what was stored under one of the cloud's hosts is found under
  /// all of them, and is moved to the one that the cloud prefers. Take the answer from a host that you trust:
  /// whoever names a host an alias of a cloud has its accounts taken for that cloud's.
  ///
  /// - Throws: `corruptItem` when what was learnt before can't be read, and whatever the back end throws; then call
  ///   it again.
  public func learn(_ discovery: InstanceDiscovery) async throws {
    let aliases = try await backend.update(EnvironmentAliases.record) { stored in
      var aliases = EnvironmentAliases(in: stored)
      aliases.learn(discovery)
      if stored == nil && aliases == .shipped { return aliases }
      var document = stored ?? CacheDocument()
      aliases.write(to: &document)
      stored = document
      return aliases
    }
    if aliases == .shipped { return }
    for kind in [RecordKind.family, .credentials, .client] {
      for record in try await backend.records(matching: .all(kind)) {
        let canonical = aliases.canonical(record.key.environment)
        if canonical != record.key.environment { try await move(record, to: canonical) }
      }
    }
  }

  /// Which hosts are one environment with an authority's: the shipped table for what it knows, else what the group
  /// learnt.
  func aliases(for authority: Authority) async throws -> EnvironmentAliases {
    try await authority.kind == .aad ? aliases(for: authority.host) : .shipped
  }

  /// Which hosts are one environment with an account's.
  func aliases(of account: Account) async throws -> EnvironmentAliases {
    try await authority.kind == .aad ? aliases(for: account.environment) : .shipped
  }

  /// Whether only the group can tell which hosts are one environment with an authority's.
  func asksGroupForAliases(of authority: Authority) -> Bool {
    authority.kind == .aad && !isShipped(authority.host)
  }

  private func isShipped(_ host: String) -> Bool {
    CloudEnvironment.isKnown(host) || host.hasSuffix(".ciamlogin.com")
  }

  private func aliases(for host: String) async throws -> EnvironmentAliases {
    if isShipped(host) { return .shipped }
    return EnvironmentAliases(in: try await backend.record(for: EnvironmentAliases.record)?.document())
  }

  /// Moves a record to the canonical host of its cloud: copied first, then removed if it is still what was copied.
  private func move(_ record: Record, to environment: String) async throws {
    var record = record
    while true {
      guard var document = try? record.document() else { return }
      let (key, revision) = (record.key, document.sharing.revision)
      document.move { _ in environment }
      let moved = document
      try await backend.update(key.under(environment)) { stored in
        let isOlder = moved.newest < stored?.newest ?? .distantPast
        _ = RecordMerge(incoming: moved, replaces: false).apply(to: &stored)
        stored?.sharing.takeApps(of: moved.sharing, isOlder: isOlder)
        let isUsed = stored?.sharing.apps(.signedIn).isEmpty == false
        if moved.isSignedOut(for: nil) && !isUsed { stored?.removeTokensAndAccounts() }
      }
      let isGone = try await backend.update(key) { stored in
        if stored?.sharing.revision == revision { stored = nil }
        return stored == nil
      }
      guard !isGone, let changed = try await backend.record(for: key) else { return }
      record = changed
    }
  }
}

extension RecordKey {
  fileprivate func under(_ environment: String) -> RecordKey {
    RecordKey(
      kind: kind, account: account, environment: environment, clientID: clientID, familyID: familyID, key: key
    )
  }
}
