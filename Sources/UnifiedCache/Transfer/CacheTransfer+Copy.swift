// SPDX-License-Identifier: MIT

/// Copies the records of one group into another.
extension CacheTransfer {
  /// Copies what apps keep in another group into this one: sign-ins in either format, states of apps and secrets.
  ///
  /// A suite moves from the group that it shared with ADAL to its own:
  ///
  /// ```swift
  /// import SecretStoreCache
  ///
  /// let former = try store.backend(for: app, group: "com.microsoft.adalcache")
  /// let summary = try await CacheTransfer(backend: backend).copyRecords(from: former)
  /// ```
  ///
  /// The other group stays as it is, and can be removed once every app has moved. Copying it again copies only what is
  /// new there. These rules apply:
  ///
  /// - Of two copies of a token the newer one is kept, as in an import. An app's state that this group has is kept.
  /// - Accounts that are signed out in this group stay signed out, with their sign-out numbers.
  /// - An app's own secret, or item of `KeychainView`, that this group has with another content stays, and is
  ///   counted in ``ImportSummary/conflicting``.
  /// - What can't be read in the other group is named in ``ImportSummary/leftOut``, and the rest is copied.
  /// - The hosts that the other group has learned are learned first. Hints, requests that are not sent again, and the
  ///   record of a removal are not copied.
  ///
  /// A cancelled call ends after a whole record, and the next one goes on with what is left.
  ///
  /// - Parameters:
  ///   - source: The back end of the other group.
  ///   - isDryRun: Whether to report what would be copied, without writing anything.
  ///   - progress: Receives the number of records that are written, and of all that are. A dry run reports nothing.
  /// - Throws: Any error of either back end. Where a record can't be changed, as with `lockTimedOut`, the others are
  ///   copied and the error names it.
  public func copyRecords(
    from source: any TokenCacheBackend, isDryRun: Bool = false,
    progress report: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) async throws -> ImportSummary {
    let records = try await source.records(matchingAny: CopyPlan.kinds.map(RecordQuery.all))
    var stored = try await StoredGroup(reading: backend, kinds: CopyPlan.kinds)
    let learned = EnvironmentAliases(
      in: try? records.first { $0.key == EnvironmentAliases.record }?.document())
    let news = stored.aliases.additions(of: learned)
    var aliases = stored.aliases
    aliases.learn(news)
    let damage = stored.record(EnvironmentAliases.record).flatMap(DamagedRecord.init)
    if !news.clouds.isEmpty, damage == nil, !isDryRun {
      try await EnvironmentLearning(backend: backend, clock: clock).learn(news)
      stored = try await StoredGroup(reading: backend, kinds: CopyPlan.kinds)
    }
    let plan = CopyPlan(records, over: stored, aliases, Freshness(now: clock.now()))
    var summary = plan.summary
    if !news.clouds.isEmpty, let damage { summary.damaged.append(damage) }
    if isDryRun { return summary }
    var progress = WorkProgress(of: plan.copies.count, report)
    var failures = RecordFailures()
    let writes = plan.copies.map { RecordWrites.Write($0.key, $0.incoming, merge: $0.apply) }
    var work = RecordWrites(over: stored, in: backend, clock: clock)
    let takenBack = try await work.run(writes, &progress, &failures) { wrote in
      if !writes.isEmpty { try await plan.complete(in: backend, wrote) }
    }
    summary.takeBack(takenBack, over: stored)
    return summary
  }
}
