// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
package import SecretStoreCache
import TokenCacheModel
package import UnifiedCache

/// An export of a group's accounts into a tool's cache, under the tool's locks.
package struct PartnerExport: Sendable {
  /// What an export did.
  package struct Summary: Sendable {
    /// The number of credentials that were written.
    package var written = 0
    /// The number of accounts that were removed, because an export had brought them and the group, or the client, is
    /// signed out.
    package var removed = 0
    /// The number of accounts that the user signed out of at the tool, and that were not written.
    package var gone = 0
    /// The number of accounts that were not written because another account at the tool has their keys.
    package var unwritten = 0
  }

  let partner: Partner
  let client: String
  let takesFamily: Bool
  let account: PartnerAccount?
  let store: SecretStore
  let backend: any TokenCacheBackend

  /// The tools whose caches are written: those that share one lock.
  private static let writable = ["azure-cli", "azure-identity-python", "msal-extensions"]

  /// Prepares an export.
  ///
  /// - Throws: `invalidArgument` when the tool's cache is not written, or another client's entries are to be.
  package init(
    to partner: Partner, clientID: String?, takesFamily: Bool, account: PartnerAccount?, store: SecretStore,
    backend: any TokenCacheBackend
  ) throws(SecretStoreError) {
    guard partner.isWritten else {
      throw SecretStoreError(
        .invalidArgument,
        "The cache of \(partner.title) is only read; written are \(Self.writable.joined(separator: ", ")).")
    }
    guard let client = partner.clientID ?? clientID, !client.isEmpty else {
      throw SecretStoreError(
        .invalidArgument, "Name the client whose accounts are to be written, by --client-id.")
    }
    if let clientID, RecordKey.storedClient(clientID) != RecordKey.storedClient(client) {
      throw SecretStoreError(.invalidArgument, "\(partner.title) uses only the tokens of its own client.")
    }
    self.partner = partner
    self.client = client
    self.takesFamily = takesFamily
    self.account = account
    self.store = store
    self.backend = backend
  }

  /// Merges the group's entries of the client into each cache of the tool that is there.
  ///
  /// - Parameter progress: Receives the number of caches that are written, and of those that are there.
  /// - Throws: `invalidArgument` when the tool has no cache yet; `lockTimedOut` when it has its lock until the limit;
  ///   `groupLocked`, `invalidFile` and `storageFailed` when its cache can't be read or written; `corruptItem` when
  ///   the group has what can't be read. Nothing is lost on either side.
  package func run(progress report: WorkProgress.Report? = nil) async throws -> Summary {
    let caches = try await partner.lockedCaches(in: store)
    for cache in caches where cache.item != nil {
      for path in cache.place.files { try PartnerFile.prepareCompanion(path) }
    }
    var summary = Summary()
    var progress = WorkProgress(of: caches.count, report)
    for cache in caches {
      try await export(to: cache.place, &summary)
      progress.finishItem()
    }
    return summary
  }

  /// The number of times that a merge is written which another program wrote over.
  private static let attempts = 3

  private func export(to place: Partner.Place, _ summary: inout Summary) async throws {
    for _ in 1...Self.attempts {
      let merge = try await write(to: place)
      guard let merge else { return }
      summary.written += merge.changes.count
      summary.removed += merge.removed
      summary.gone += merge.gone
      summary.unwritten += merge.unwritten
      if merge.changes.isEmpty { return }
      let written = place.times
      try await Task.sleep(for: .seconds(1))
      let current = try await PartnerCache.find(place, in: store).document
      guard let current, merge.isLost(in: current, isUntouched: place.times == written) else { return }
      summary.written -= merge.changes.count
      try await PartnerBase.write(
        .init(base: merge.former), to: PartnerBase.record(partner, place), of: backend)
    }
    throw SecretStoreError(
      .storageFailed, "\(partner.title) keeps writing over what is exported; export again when it is idle.")
  }

  /// Merges under the lock; the base is stored before the tool's cache is changed.
  private func write(to place: Partner.Place) async throws -> PartnerMerge? {
    let lock = try await partner.lock([place])
    defer { lock.release() }
    let cache = try await PartnerCache.find(place, in: store)
    if let error = cache.error(for: partner) { throw error }
    guard case .read(let content) = cache.state else { return nil }
    let group = try await CacheTransfer(backend: backend).whole(datesRefreshTokens: true)
    guard group.damaged.isEmpty else {
      throw SecretStoreError(.corruptItem, "The group has records that can't be read; nothing was exported.")
    }
    let record = PartnerBase.record(partner, place)
    let stored = try await PartnerBase.read(record, from: backend)
    let seen = cache.version
    let base = stored.base(for: seen)
    let owner = try await owner(in: group.document)
    var merge = PartnerMerge(
      client: client, takesFamily: takesFamily, account: owner, signedOut: try await signedOut(), now: Date())
    merge.merge(group.document, into: content.document, over: base)
    guard account == nil || owner != nil && merge.found > 0 else {
      throw SecretStoreError(.invalidArgument, "The group has no such account with a token of that client.")
    }
    guard account == nil || merge.unwritten == 0 else {
      throw SecretStoreError(
        .invalidArgument,
        "\(partner.title) has an account whose identifier differs from this one's by letter case only. Its keys are"
          + " those of this account, which therefore can't be written.")
    }
    guard merge.document != content.document else {
      if stored.pending != nil || merge.base != stored.base {
        try await PartnerBase.write(.init(base: merge.base), to: record, of: backend)
      }
      return merge
    }
    let bytes = content.encoded(merge.document)
    guard bytes.count <= PartnerContent.maximumBytes else {
      throw SecretStoreError(
        .invalidFile, "The cache would be larger than \(PartnerContent.maximumBytes) bytes.")
    }
    try await PartnerBase.write(.init(base: merge.base, pending: (seen, base)), to: record, of: backend)
    try await replace(cache, with: bytes)
    try await PartnerBase.write(.init(base: merge.base), to: record, of: backend)
    return merge
  }

  /// Returns the account to write; `nil` for all, and when the group has none of that name.
  ///
  /// Of several user names of an account, the exported document holds one.
  private func owner(in document: CacheDocument) async throws -> PartnerAccount.Owner? {
    guard let account else { return nil }
    let named = try await AccountDirectory(backend: backend).accounts(named: account.name)
    return try account.owner(in: document, identifiers: named.map(\.identifier))
  }

  /// Returns the accounts that the client is signed out of.
  private func signedOut() async throws -> Set<SignedOutAccounts.AccountName> {
    let records = try await backend.records(matching: .credentials(ofClient: client))
    return Set(
      try records.filter { try $0.document().isSignedOut(for: nil) }.map(\.key.accountName))
  }

  /// Replaces the content of a cache, and sets the time by which the tool sees the change.
  private func replace(_ cache: PartnerCache, with bytes: [UInt8]) async throws {
    if let path = cache.plainFile {
      try PartnerFile.replace(path, with: bytes)
      return try PartnerFile.touch(path)
    }
    guard let item = cache.item else { return }
    try await store.guarded { client in
      try await client.setSecret(Secret(bytes), of: item, contentType: "text/plain")
    }
    for path in cache.place.files { try PartnerFile.touch(path) }
  }
}

extension Partner.Place {
  /// When its files were changed.
  fileprivate var times: [Int?] { files.map(PartnerFile.time) }
}

extension PartnerCache {
  /// A digest of the content and of the times at which its files were changed.
  fileprivate var version: String {
    PartnerBase.digest([String(decoding: bytes, as: UTF8.self)] + place.times.map { "\($0 ?? 0)" })
  }
}

extension Partner {
  /// Whether an export writes the tool's cache.
  ///
  /// These tools share one kind of lock; the item of Azure.Identity for .NET has no lock that all of its writers take.
  var isWritten: Bool {
    ["azure-cli", "azure-identity-python"].contains(name) || name.hasPrefix("msal-extensions:")
  }

  /// Remembers what an import saw of the caches, so that an export brings back no account that was removed there.
  ///
  /// - Returns: The records that can't be read and therefore remember nothing.
  package func noteImport(
    clientID: String?, from store: SecretStore, into backend: any TokenCacheBackend
  ) async throws -> [DamagedRecord] {
    var damaged: [DamagedRecord] = []
    guard isWritten else { return damaged }
    let group = try await CacheTransfer(backend: backend).whole(datesRefreshTokens: false).document
    for place in places {
      let cache = try await PartnerCache.find(place, in: store)
      guard let document = cache.document else { continue }
      let record = PartnerBase.record(self, place)
      if let damage = try await backend.record(for: record).flatMap(DamagedRecord.init) {
        damaged.append(damage)
        continue
      }
      let stored = try await PartnerBase.read(record, from: backend)
      var base = stored.base(for: cache.version)
      let clients =
        (clientID ?? self.clientID).map { [$0] } ?? Set(document.credentials.map(\.clientID)).sorted()
      for client in clients {
        let theirs = PartnerMerge.credentials(document, of: client, family: true)
        base.seeChanges(theirs, of: client)
        base.see(PartnerMerge.credentials(group, of: client, family: true), theirs, of: client)
      }
      if base != stored.base || stored.pending != nil {
        try await PartnerBase.write(.init(base: base), to: record, of: backend)
      }
    }
    return damaged
  }
}
