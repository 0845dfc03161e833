// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import UnifiedCache

/// The import and export of ADAL caches of a group.
///
/// ```swift
/// let file = try ADALFile(parsing: bytes, as: .python)
/// let transfer = ADALTransfer(backend: backend)
/// let summary = try await transfer.importFile(file)
/// ```
///
/// Each item becomes a record of the group. The first silent call of an app with MSAL converts its sign-in to
/// MSAL's format.
public struct ADALTransfer: Sendable {
  private let backend: any TokenCacheBackend
  private let clock: any WallClock

  /// Creates a cache transfer for a back end.
  ///
  /// - Parameters:
  ///   - backend: The back end that keeps the group's records.
  ///   - clock: The clock. Dates in a file that are ahead of it count as not known.
  public init(backend: any TokenCacheBackend, clock: any WallClock = SystemWallClock()) {
    self.backend = backend
    self.clock = clock
  }

  /// Imports a file.
  ///
  /// The rules are those of ``CacheTransfer/importUnified(_:options:progress:)``. Unless the options say otherwise, an
  /// older item never replaces a newer one and a signed-out user does not come back. Importing the same file again
  /// changes nothing. Entries of the file that were left out when it was read count as unreadable in the summary. An
  /// item that is too large for a record is in ``ImportSummary/oversized``. A user is imported with all items, or not
  /// at all, even when another process empties or deletes the group meanwhile.
  ///
  /// - Parameters:
  ///   - file: The file that was read.
  ///   - options: What may be replaced, and whether this is a dry run.
  ///   - progress: Receives the number of records that are written, and of all that the import writes.
  /// - Throws: `invalidFile` when the file is to replace what is stored but has no usable item, or none that fits into
  ///   a record; nothing is changed then. `storageFailed` when others keep removing what is imported. Errors of the
  ///   back end; part of the file may have been imported then: import it again.
  public func importFile(
    _ file: ADALFile, options: ImportOptions = ImportOptions(),
    progress report: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) async throws -> ImportSummary {
    guard !options.replaces || !file.tokens.isEmpty || file.leftOut.isEmpty else {
      throw SecretStoreError(
        .invalidFile, "Nothing in the file can be taken up; nothing that is stored was replaced.")
    }
    let stored = try await StoredGroup(reading: backend, beside: options.misnamed)
    let signedOut = SignedOutAccounts(in: stored)
    let freshness = Freshness(now: clock.now())
    var summary = ImportSummary()
    summary.unreadable = file.leftOut.count
    var removal = RecordRemoval()
    if options.replaces {
      let imported = Set(file.tokens.map { RecordKey.legacy($0) })
      let signIns = ImportedSignIns(file.tokens, stored.aliases)
      removal = RecordRemoval(stored, besides: signIns, where: imported.contains)
      summary.removed = removal.count
      summary.damaged = removal.damaged
      summary.changed = removal.records
    }
    var merges: [(key: RecordKey, merge: ADALMerge)] = []
    /// The merge of each record that is written or holds the item already.
    var items: [RecordKey: ADALMerge] = [:]
    for token in file.tokens {
      if !options.replaces, signedOut.contains(token) {
        summary.signedOut += 1
        continue
      }
      let key = RecordKey.legacy(token)
      let merge = ADALMerge(
        incoming: token, replaces: options.replaces, signOutNumberOfOthers: stored.signOutNumberOfOthers(key),
        freshness: freshness)
      let (isReadable, before) = summary.document(for: key, in: stored)
      if !isReadable { continue }
      var document = before
      let outcome = merge.apply(to: &document)
      if let document, [.added, .updated].contains(outcome), !document.fitsRecord {
        summary.oversized.append(ImportSummary.Oversized(key, document))
        continue
      }
      summary.note(outcome)
      if [.added, .updated].contains(outcome) {
        merges.append((key, merge))
        summary.changed.insert(key)
      }
      if outcome != .signedOut { items[key] = merge }
    }
    if options.replaces, !summary.oversized.isEmpty, items.isEmpty {
      throw SecretStoreError(
        .invalidFile, "The file holds nothing that fits into a record; nothing that is stored was replaced.")
    }
    if options.isDryRun { return summary }
    var progress = WorkProgress(of: removal.steps + merges.count, report)
    var failures = RecordFailures()
    try await removal.remove(from: backend, at: clock.now(), &progress, &failures)
    let writes = merges.map { RecordWrites.Write($0, $1.document, merge: $1.apply) }
    var work = RecordWrites(over: stored, in: backend, clock: clock, signsIn: options.replaces)
    let takenBack = try await work.run(writes, &progress, &failures) { wrote in
      if !merges.isEmpty { try await complete(items, stored.aliases, wrote) }
    }
    summary.takeBack(takenBack, over: stored)
    return summary
  }

  /// Writes a user's items again that another process removed while others of the user exist.
  private func complete(
    _ merges: [RecordKey: ADALMerge], _ aliases: EnvironmentAliases,
    _ wrote: (RecordKey, CacheDocument) -> Void
  ) async throws {
    let owners = merges.compactMapValues { User(of: $0.incoming, aliases) }
    let completion = ImportCompletion(
      backend: backend, kinds: [.legacy], owners: owners, holdsTokens: { $0.adalToken?.kind != nil })
    try await completion.run { [backend] key in
      guard let merge = merges[key] else { return }
      defer { wrote(key, merge.document) }
      try await backend.update(key) { _ = merge.apply(to: &$0) }
    }
  }

  private struct User: Hashable {
    let environment: String
    let name: String

    /// Creates the user of an item; returns `nil` for an item without a user or tokens.
    init?(of token: ADALToken, _ aliases: EnvironmentAliases) {
      guard let user = token.userID, token.kind != nil, token.subject == .user else { return nil }
      (environment, name) = (token.environment(aliases), Username(user).compared)
    }
  }

  /// Exports the group's items; leaves out those that can't be read and lists them in ``ADALFile/damaged``.
  ///
  /// - Parameter progress: Receives the number of records that were read, and of all that were found.
  /// - Throws: Errors of the back end.
  public func export(
    progress: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) async throws -> ADALFile {
    let records = try await RecordReading.reporting(to: progress) {
      try await backend.records(matching: .all(.legacy))
    }
    if !records.isEmpty { progress?(records.count, records.count) }
    return ADALFile(
      tokens: records.compactMap { try? $0.document().adalToken }.filter { $0.kind != nil },
      damaged: records.compactMap(DamagedRecord.init))
  }
}
