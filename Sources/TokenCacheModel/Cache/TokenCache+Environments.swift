// SPDX-License-Identifier: MIT

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

  private func aliases(for host: String) async throws -> EnvironmentAliases {
    if CloudEnvironment.isKnown(host) || host.hasSuffix(".ciamlogin.com") { return .shipped }
    return EnvironmentAliases(in: try await backend.record(for: EnvironmentAliases.record)?.document())
  }

  /// Moves a record to the canonical host of its cloud: copied first, then removed, so that nothing is lost between.
  private func move(_ record: Record, to environment: String) async throws {
    guard let document = try? record.document() else { return }
    let key = record.key
    let target = RecordKey(
      kind: key.kind, account: key.account, environment: environment, clientID: key.clientID,
      familyID: key.familyID, key: key.key)
    let moved = document.moved(to: environment)
    try await backend.update(target) { stored in
      _ = RecordMerge(incoming: moved, replaces: false).apply(to: &stored)
      stored?.sharing.takeSignOuts(of: moved.sharing)
    }
    try await backend.remove(key)
  }
}

extension CacheDocument {
  /// The document with all its entries under another host of their cloud.
  fileprivate func moved(to environment: String) -> CacheDocument {
    var document = self
    for section in CacheSection.allCases {
      var entries = document[section]
      for (key, value) in entries {
        guard var fields = value.objectValue, fields["environment"] != nil else { continue }
        fields["environment"] = .string(environment)
        entries[key] = .object(fields)
      }
      document[section] = entries
    }
    return document
  }
}
