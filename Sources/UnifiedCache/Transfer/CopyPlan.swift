// SPDX-License-Identifier: MIT

/// The changes that a copy of a group's records makes in another group, computed before anything is written.
struct CopyPlan {
  /// The kinds of record that are read in either group.
  static let kinds: [RecordKind] = [
    .credentials, .family, .client, .groupData, .legacy, .secret, .damaged,
  ]

  private(set) var summary = ImportSummary()
  /// The records that are written, those of an account together and its families first.
  private(set) var copies: [RecordCopy] = []
  /// The records that the other group has already.
  private var unchanged: [RecordCopy] = []
  private let aliases: EnvironmentAliases

  /// Computes the changes.
  ///
  /// - Parameters:
  ///   - records: The records to copy.
  ///   - stored: The content of the other group.
  ///   - aliases: The host aliases of the other group, with those of the first.
  init(
    _ records: [Record], over stored: StoredGroup, _ aliases: EnvironmentAliases, _ freshness: Freshness
  ) {
    self.aliases = aliases
    summary.leftOut = records.filter { Self.isCopied($0.key) }.compactMap(DamagedRecord.init)
    let parts = records.compactMap { record -> (key: RecordKey, content: CacheDocument)? in
      guard let document = try? record.document(),
        var content = RecordCopy.content(of: document, in: record.key)
      else { return nil }
      guard [.credentials, .family, .client].contains(record.key.kind) else { return (record.key, content) }
      let host = aliases.canonical(record.key.environment)
      if host != record.key.environment { content.move { _ in host } }
      return (record.key.under(host), content)
    }
    let signedOut = SignedOutAccounts(in: stored)
    let names = SignedOutAccounts.names(in: Dictionary(parts.map { ($0.key, $0.content) }) { $1 })
    for (key, content) in parts.sorted(by: { $0.key.precedes($1.key) }) {
      var content = content
      let isSignedOut =
        content.adalToken.map { key.kind == .legacy && signedOut.contains($0) }
        ?? signedOut.contains(key, named: names[key.accountName] ?? [])
      if isSignedOut {
        summary.signedOut += 1
        continue
      }
      let (isReadable, before) = summary.document(for: key, in: stored)
      if !isReadable { continue }
      var knownSignOutNumber: Int?
      if key == CachePartitioner.leftovers {
        let whole = content
        content.removeEntries(ownedBy: signedOut.contains)
        if content != whole { summary.signedOut += 1 }
        content.removeEmptyMembers(besides: whole)
        if !content.holdsEntries { continue }
        knownSignOutNumber = before?.metadata.signOutNumber ?? 0
      }
      let copy = RecordCopy(
        content, to: key, signOutNumberOfOthers: stored.signOutNumberOfOthers(key),
        knownSignOutNumber: knownSignOutNumber,
        freshness)
      var document = before
      let outcome = copy.apply(to: &document)
      if let document, [.added, .updated].contains(outcome) {
        guard document.fitsRecord else {
          summary.oversized.append(ImportSummary.Oversized(key, content))
          continue
        }
        copies.append(copy)
        summary.changed.insert(key)
      }
      summary.note(outcome)
      if outcome == .unchanged { unchanged.append(copy) }
    }
  }

  /// Writes the records of accounts again that another process removed while others of the account exist.
  func complete(
    in backend: any TokenCacheBackend, _ wrote: (RecordKey, CacheDocument) -> Void
  ) async throws {
    let written = Set(copies.compactMap(owner))
    let all = (copies + unchanged).reduce(into: [RecordKey: RecordCopy]()) { all, copy in
      if owner(of: copy).map(written.contains) == true { all[copy.key] = copy }
    }
    let completion = ImportCompletion(
      backend: backend, kinds: [.credentials, .family, .legacy], owners: all.compactMapValues(owner),
      holdsTokens: { $0.hasTokens || $0.adalToken?.kind != nil })
    try await completion.run(
      isNeeded: { $0.kind == .family ? try await FamilyUse(backend: backend).isUsed($0) : true },
      write: { key in
        guard let copy = all[key] else { return }
        defer { wrote(key, copy.incoming) }
        try await backend.update(key) { _ = copy.apply(to: &$0) }
      })
  }

  /// Returns the account of a record with tokens; ADAL's users are told apart by their names.
  private func owner(of copy: RecordCopy) -> SignedOutAccounts.AccountName? {
    switch copy.key.kind {
    case .credentials, .family: return copy.incoming.hasTokens ? copy.key.accountName : nil
    case .legacy:
      guard let token = copy.incoming.adalToken, let user = token.userID, token.subject == .user else {
        return nil
      }
      return .init(environment: token.environment(aliases), name: Username(user).compared)
    default: return nil
    }
  }

  /// Returns whether records of a key are copied where they can be read, or were set aside.
  private static func isCopied(_ key: RecordKey) -> Bool {
    switch key.kind {
    case .group, .groupKey: false
    case .groupData:
      [CachePartitioner.leftovers, EnvironmentAliases.record].contains(key) || key.isKeychainObject
    default: true
    }
  }
}
