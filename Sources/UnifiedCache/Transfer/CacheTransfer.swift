// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON

/// Imports and exports the whole cache of a group, in the JSON format of MSAL Python, .NET, Java, Go and Node.
///
/// ```swift
/// let transfer = CacheTransfer(backend: backend)
/// let summary = try await transfer.importUnified(bytes) { completed, total in
///   print("\(completed) of \(total) records are written")
/// }
/// let export = try await transfer.exportUnified()
/// ```
public struct CacheTransfer: Sendable {
  /// The maximum size of an imported file in bytes: 64 MiB.
  public static let maximumBytes = 64 << 20

  let backend: any TokenCacheBackend
  let clock: any WallClock

  /// Creates a cache transfer for a back end.
  ///
  /// - Parameters:
  ///   - backend: The back end with the group's records.
  ///   - clock: The source of the current time. Dates in the file that are later than it are ignored.
  public init(backend: any TokenCacheBackend, clock: any WallClock = SystemWallClock()) {
    self.backend = backend
    self.clock = clock
  }

  /// Imports a cache.
  ///
  /// Each entry goes to the record of its account and client. Sections and entries without such an owner are stored,
  /// too, and are exported again. Importing the same file again changes nothing. Unless the options say that the file
  /// replaces what is stored, these rules apply:
  ///
  /// - Of two copies of a token the newer one is kept. Its age is the time when it was stored, changed or issued, as
  ///   the entry says. An implausible date counts as no date. A token without a date replaces no other token, and any
  ///   token with a date replaces it.
  /// - Tokens of a signed-out account are not imported, whichever client, family, host or format the file names it by.
  ///   Only a sign-in brings the account back. A sign-out while the import writes counts, too: what was written of that
  ///   account goes again. A group that was emptied completely no longer knows who was signed out.
  ///
  /// Outside Microsoft's clouds and AD FS an entry belongs to an issuer. It is the issuer that the entry names, in its
  /// member `issuer` or as the `iss` of its ID token. Otherwise it is the issuer that the other entries of the same
  /// account and client at the same host name, if they agree. An entry whose issuer is unknown is stored and exported
  /// again, and the user can list and remove it. It is used for no authority.
  ///
  /// An account is imported either completely, with its family refresh token, or not at all, even when another process
  /// empties or deletes the group meanwhile.
  ///
  /// A record has 1.6 MB at most. Where a client's tokens of one account need more, access tokens are left out: expired
  /// ones first, and then those that expire first. What is too large even so, or holds a token of 1 MB (1,000,000
  /// bytes) or more, is not imported, and the others are: see ``ImportSummary/oversized``.
  ///
  /// A cancelled import ends after a whole record: what was written stays, and the last call of `progress` says how
  /// much that is. The next import of the file goes on with what is left, also after an error.
  ///
  /// - Parameters:
  ///   - bytes: The cache, JSON in UTF-8.
  ///   - options: What may be replaced, and whether anything is written.
  ///   - progress: Receives the number of records that are written, and of all that the import writes: once before the
  ///     first one, and after each, on any thread. A dry run reports nothing.
  /// - Throws: `invalidFile` when the bytes are not a cache; exceed ``maximumBytes``; hold an identifier with a
  ///   control character; or are to replace a group although none of their accounts and credentials can be read or
  ///   fits into a record. Nothing is written then.
  ///   `storageFailed` when others keep removing what is imported. Any error of the back end. After these a part may
  ///   have been imported: import again. Where a record can't be changed, as with `lockTimedOut`, the others are
  ///   imported and the error names it.
  public func importUnified(
    _ bytes: [UInt8], options: ImportOptions = ImportOptions(),
    progress: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) async throws -> ImportSummary {
    guard bytes.count <= Self.maximumBytes else {
      throw SecretStoreError(.invalidFile, "The cache is larger than \(Self.maximumBytes) bytes.")
    }
    guard options.replaces, !options.isDryRun else {
      return try await performImport(bytes, options, progress)
    }
    // Serialize replacing imports, so that the group holds the second file after two of them.
    return try await backend.withRefreshLease(on: CachePartitioner.leftovers) {
      try await performImport(bytes, options, progress)
    }
  }

  private func performImport(
    _ bytes: [UInt8], _ options: ImportOptions, _ report: WorkProgress.Report?
  ) async throws -> ImportSummary {
    var document: CacheDocument
    do {
      document = try CacheDocument(parsing: bytes)
    } catch {
      throw SecretStoreError(.invalidFile, error.detail)
    }
    let stored = try await StoredGroup(reading: backend, beside: options.misnamed)
    let aliases = stored.aliases
    document.move { spelling in
      let host = CloudEnvironment.named(spelling)
      return CloudEnvironment.isKnown(host) ? host : aliases.canonical(host)
    }
    document.nameIssuers { aliases.isLearned($0) }
    let freshness = Freshness(now: clock.now())
    let split = try CachePartitioner(document, keepsUnreadable: !options.skipsUnreadable, freshness)
    if options.replaces, split.unreadable > 0,
      !split.parts.contains(where: { !$0.value.credentials.isEmpty || !$0.value.accounts.isEmpty })
    {
      throw SecretStoreError(
        .invalidFile, "Nothing in the cache can be taken up; nothing that is stored was replaced.")
    }
    let plan = ImportPlan(split.parts, over: stored, options, freshness)
    if options.replaces, !plan.summary.oversized.isEmpty, plan.merges.isEmpty, plan.unchanged.isEmpty {
      throw SecretStoreError(
        .invalidFile, "The cache holds nothing that fits into a record; nothing that is stored was replaced.")
    }
    var summary = plan.summary
    summary.unreadable = split.unreadable
    if options.isDryRun { return summary }
    var progress = WorkProgress(of: plan.steps, report)
    var failures = RecordFailures()
    try await plan.remove(from: backend, at: clock.now(), &progress, &failures)
    let writes = plan.merges.sorted { $0.key.precedes($1.key) }.map { key, merge in
      RecordWrites.Write(key, merge.incoming, merge: merge.apply)
    }
    var work = RecordWrites(over: stored, in: backend, clock: clock, signsIn: options.replaces)
    let takenBack = try await work.run(writes, &progress, &failures) { try await complete(plan, $0) }
    summary.takeBack(takenBack, over: stored)
    return summary
  }

  /// Exports all accounts and tokens of the group as one cache.
  ///
  /// The package's own section is left out, so the sign-in states of apps are not exported. Sections and entries that
  /// this version doesn't know are exported, in whichever record they are.
  ///
  /// Only this package and MSAL for Apple's systems distinguish access tokens by requested claims, app or key. Such
  /// tokens get an `ext_cache_key`, so that other MSALs skip them. The accounts and credentials of a cloud are
  /// exported under one host, because MSAL Python searches no second host after it has found an account under the
  /// first.
  ///
  /// Other MSALs identify an OpenID provider by its host. So its entries are exported under the host, with the
  /// ``Issuer`` in this package's own member `issuer`, which an import reads. If several issuers of a host have
  /// accounts with the same ID, their entries stay under their issuers. Other MSALs, which would take them for one
  /// account, don't find them.
  ///
  /// Each client has a copy of an account. The one beside the newest token counts, so that a changed user name is the
  /// one that lists of accounts show.
  ///
  /// Records that can't be read are left out and listed in ``CacheExport/damaged``.
  ///
  /// - Parameter progress: Receives the number of records that were read, and of all that were found, as far as the
  ///   back end reports while it reads; and both once all of them are read.
  /// - Throws: Any error of the back end.
  public func exportUnified(
    progress: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) async throws -> CacheExport {
    let whole = try await whole(datesRefreshTokens: false, progress)
    return CacheExport(
      json: JSONValue.object(whole.document.exported).serialized(pretty: true), skippedByPeers: whole.marked,
      damaged: whole.damaged)
  }

  /// The content of a group as one document, as other MSALs expect it.
  package struct Whole {
    package let document: CacheDocument
    /// The number of tokens that other MSALs skip.
    let marked: Int
    package let damaged: [DamagedRecord]
  }

  /// Reads the whole group.
  ///
  /// - Parameters:
  ///   - datesRefreshTokens: Whether a refresh token gets the time when it was stored, as MSAL Python writes it.
  ///   - progress: Receives how many records were read, and of how many.
  package func whole(
    datesRefreshTokens: Bool, _ progress: WorkProgress.Report? = nil
  ) async throws -> Whole {
    var indexed = IndexedDocument()
    var accounts: [DatedAccount] = []
    var marked = 0
    let kinds: [RecordKind] = [.credentials, .family, .client]
    let records = try await RecordReading.reporting(to: progress) {
      try await backend.records(matchingAny: kinds.map(RecordQuery.all))
    }
    if !records.isEmpty { progress?(records.count, records.count) }
    let leftovers = try await backend.record(for: CachePartitioner.leftovers)
    for kind in kinds {
      for record in records where record.key.kind == kind {
        guard let document = try? record.document() else { continue }
        for var credential in document.credentials {
          if credential.markForPeers() { marked += 1 }
          if datesRefreshTokens { credential.dateRefreshToken(document.metadata.refreshTokenAt) }
          indexed.put(credential)
        }
        accounts += document.datedAccounts
        for metadata in document.appMetadata { indexed.put(metadata) }
      }
    }
    let rest = try? leftovers?.document()
    accounts += rest?.datedAccounts ?? []
    // The last copy of an account counts, and keeps the members that only others have.
    for account in accounts.sorted(by: { $1.precedes($0) }) { indexed.put(account.entry) }
    var unknown = UnknownEntries(in: indexed.document)
    if let rest { unknown.add(rest.withoutMetadata) }
    for record in records {
      guard let document = try? record.document() else { continue }
      unknown.add(document.withoutMetadata, isOfOthers: true)
    }
    var whole = unknown.document
    whole.mergeCloudHosts()
    marked += whole.nameHosts()
    return Whole(
      document: whole, marked: marked,
      damaged: (records + [leftovers].compactMap(\.self)).compactMap(DamagedRecord.init))
  }
}

extension CredentialEntry {
  /// Sets when a refresh token was stored, unless the entry has the time.
  fileprivate mutating func dateRefreshToken(_ date: Date?) {
    guard kind.section == .refreshToken, modifiedAt == nil, let date else { return }
    fields["last_modification_time"] = UnixTime.value(date)
  }
}

extension CacheDocument {
  /// The members of the document as other MSALs expect them: all five sections, without the package's own one.
  fileprivate var exported: JSONObject {
    var members = withoutMetadata.root
    for section in CacheSection.allCases where members[section.rawValue] == nil {
      members[section.rawValue] = [:]
    }
    return members
  }
}
