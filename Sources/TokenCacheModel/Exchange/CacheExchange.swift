// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Moves whole caches in and out of a group, in the JSON that the MSALs for Python, .NET, Java, Go and Node
/// share.
///
/// ```swift
/// let exchange = CacheExchange(backend: backend)
/// let summary = try await exchange.importUnified(Array(file))
/// let export = try await exchange.exportUnified()
/// ```
public struct CacheExchange: Sendable {
  private let backend: any TokenCacheBackend

  /// Makes an exchange with a back end.
  public init(backend: any TokenCacheBackend) { self.backend = backend }

  /// Takes up a cache.
  ///
  /// Each entry goes to the record of its account and client; sections and entries that have no such owner are
  /// kept and exported again. A newer token is never replaced by an older one and a signed-out account never
  /// brought back, unless the options say so. Importing the same file again changes nothing.
  ///
  /// - Parameters:
  ///   - bytes: The cache, JSON in UTF-8.
  ///   - options: What may be replaced, and whether anything is done at all.
  /// - Throws: `corruptItem` when the bytes are no such cache, and then nothing was done; and whatever the back
  ///   end throws, and then a part may have been imported: import again.
  public func importUnified(
    _ bytes: [UInt8], options: ImportOptions = ImportOptions()
  ) async throws -> ImportSummary {
    var document = try CacheDocument(parsing: bytes)
    let aliases = EnvironmentAliases(
      in: try await backend.record(for: EnvironmentAliases.record)?.document())
    document.move { CloudEnvironment.isKnown($0) ? $0 : aliases.canonical($0) }
    if document.credentials.contains(where: { $0.secret.utf8.count > TokenResponse.maximumTokenBytes }) {
      throw SecretStoreError(
        .corruptItem, "The cache holds a token larger than \(TokenResponse.maximumTokenBytes) bytes.")
    }
    let split = CacheSplitter(document, keepsUnreadable: !options.skipsUnreadable)
    var summary = ImportSummary()
    summary.unreadable = split.unreadable
    if options.replaces { summary.removed = try await empty(allBut: Set(split.parts.keys), options) }
    for (key, part) in split.parts {
      let merge = RecordMerge(incoming: part, replaces: options.replaces)
      switch try await apply(merge, to: key, options) {
      case .added: summary.added += 1
      case .updated: summary.updated += 1
      case .unchanged: summary.unchanged += 1
      case .signedOut: summary.signedOut += 1
      }
    }
    return summary
  }

  private func apply(
    _ merge: RecordMerge, to key: RecordKey, _ options: ImportOptions
  ) async throws -> RecordMerge.Outcome {
    guard options.isDryRun else { return try await backend.update(key) { merge.apply(to: &$0) } }
    var stored = try await backend.record(for: key)?.document()
    return merge.apply(to: &stored)
  }

  /// Takes what a peer's cache can hold out of every record that an import does not name.
  ///
  /// - Returns: How many records held tokens.
  private func empty(allBut kept: Set<RecordKey>, _ options: ImportOptions) async throws -> Int {
    var removed = 0
    for kind in [RecordKind.credentials, .family, .client] {
      for record in try await backend.records(matching: .all(kind)) where !kept.contains(record.key) {
        let hasTokens = try record.document().hasTokens
        if hasTokens { removed += 1 }
        if options.isDryRun { continue }
        try await backend.update(record.key) { stored in
          stored?.removeAllEntries()
          if hasTokens { stored?.sharing.epoch += 1 }
        }
      }
    }
    if !options.isDryRun && !kept.contains(CacheSplitter.leftovers) {
      try await backend.remove(CacheSplitter.leftovers)
    }
    return removed
  }

  /// Gives out all accounts and tokens of the group as one cache.
  ///
  /// Our own section is left out; sign-in state of apps does not travel.
  ///
  /// Access tokens that only this package and MSAL on Apple's systems tell apart, by requested claims, app or key,
  /// are marked (`ext_cache_key`), so that a peer skips them. Accounts and credentials of one cloud are given out
  /// under one host: MSAL Python does not look under a second one when it has found an account under the first.
  ///
  /// - Throws: `corruptItem` when a record can't be read: a part of a cache is never given out as the whole.
  public func exportUnified() async throws -> CacheExport {
    var whole = CacheDocument()
    var marked = 0
    for kind in [RecordKind.credentials, .family, .client] {
      for record in try await backend.records(matching: .all(kind)) {
        let document = try record.document()
        for var credential in document.credentials {
          if credential.markForPeers() { marked += 1 }
          whole.put(credential)
        }
        for account in document.accounts { whole.put(account) }
        for metadata in document.appMetadata { whole.put(metadata) }
      }
    }
    if let leftovers = try await backend.record(for: CacheSplitter.leftovers)?.document() {
      for account in leftovers.accounts { whole.put(account) }
      whole.addMembers(of: leftovers)
    }
    whole.gatherClouds()
    return CacheExport(
      json: JSONValue.object(whole.exported).serialized(pretty: true), skippedByPeers: marked)
  }
}

extension CacheDocument {
  /// The document as peers expect it: all five sections, and none of ours.
  fileprivate var exported: JSONObject {
    var members = root
    members[Self.sharingSection] = nil
    for section in CacheSection.allCases where members[section.rawValue] == nil {
      members[section.rawValue] = [:]
    }
    return members
  }
}
