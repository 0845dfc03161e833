// SPDX-License-Identifier: MIT

import FoundationEssentials

/// The storing of host aliases in a group, and the move of its records under the preferred hosts.
package struct EnvironmentLearning: Sendable {
  private let backend: any TokenCacheBackend
  private let clock: any WallClock

  package init(backend: any TokenCacheBackend, clock: any WallClock) {
    self.backend = backend
    self.clock = clock
  }

  /// Stores the clouds of an instance discovery response, and moves the records of their hosts.
  package func learn(_ discovery: InstanceDiscovery) async throws {
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

  /// Moves a record to the canonical host of its cloud.
  ///
  /// The record is copied first. The original is removed if it has not changed since; otherwise the change is copied,
  /// too.
  private func move(_ record: Record, to environment: String) async throws {
    var record = record
    while true {
      guard var document = try? record.document() else { return }
      let (key, revision) = (record.key, document.metadata.revision)
      document.move { _ in environment }
      let moved = document
      try await backend.update(key.under(environment)) { [clock] stored in
        let isOlder = moved.newest < stored?.newest ?? .distantPast
        let freshness = Freshness(now: clock.now())
        _ = RecordMerge(incoming: moved, replaces: false, freshness: freshness).apply(to: &stored)
        stored?.metadata.mergeApps(of: moved.metadata, isOlder: isOlder)
        let isUsed = stored?.metadata.apps(.signedIn).isEmpty == false
        if moved.isSignedOut(for: nil) && !isUsed { stored?.removeTokensAndAccounts() }
      }
      let isRemoved = try await backend.update(key) { stored in
        if stored?.metadata.revision == revision { stored = nil }
        return stored == nil
      }
      guard !isRemoved, let changed = try await backend.record(for: key) else { return }
      record = changed
    }
  }
}

extension RecordKey {
  /// Returns the key of the same record under another host.
  func under(_ environment: String) -> RecordKey {
    RecordKey(
      kind: kind, account: account, environment: environment, clientID: clientID, familyID: familyID, key: key
    )
  }
}
