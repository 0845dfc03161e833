// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Moves caches of ADAL's in and out of a group.
///
/// ```swift
/// let file = try ADALFile(parsing: bytes, as: .python)
/// let exchange = ADALExchange(backend: backend)
/// let summary = try await exchange.importFile(file)
/// let export = try await exchange.export().serialized(as: .python)
/// ```
///
/// Every item becomes a record of the group, and the first silent call of an app with MSAL takes its sign-in up.
public struct ADALExchange: Sendable {
  private let backend: any TokenCacheBackend

  /// Makes an exchange with a back end.
  public init(backend: any TokenCacheBackend) { self.backend = backend }

  /// Takes up a file.
  ///
  /// A newer item is never replaced by an older one and a signed-out user's never brought back, unless the options say
  /// so. Importing the same file again changes nothing. Items that could not be read are counted where the file was read
  /// with leave to skip them.
  ///
  /// - Parameters:
  ///   - file: The file, read whole.
  ///   - options: What may be replaced, and whether anything is done at all.
  /// - Throws: Whatever the back end throws, and then a part may have been imported: import again.
  public func importFile(
    _ file: ADALFile, options: ImportOptions = ImportOptions()
  ) async throws -> ImportSummary {
    var summary = ImportSummary()
    summary.unreadable = file.leftOut.count
    let signedOut = try await ADALSignedOut(backend: backend)
    if options.replaces {
      let kept = Set(file.tokens.map { RecordKey.legacy($0) })
      for item in try await ADALStore(backend: backend).items() where !kept.contains(item.key) {
        if item.token.kind != nil { summary.removed += 1 }
        if !options.isDryRun { try await backend.remove(item.key) }
      }
    }
    for token in file.tokens {
      let merge = ADALMerge(incoming: token, replaces: options.replaces)
      let key = RecordKey.legacy(token)
      if !options.replaces, signedOut.contains(token) {
        summary.signedOut += 1
        continue
      }
      var outcome: RecordMerge.Outcome
      if options.isDryRun {
        var stored = try await backend.record(for: key)?.document()
        outcome = merge.apply(to: &stored)
      } else {
        outcome = try await backend.update(key) { merge.apply(to: &$0) }
      }
      switch outcome {
      case .added: summary.added += 1
      case .updated: summary.updated += 1
      case .unchanged: summary.unchanged += 1
      case .signedOut: summary.signedOut += 1
      }
    }
    return summary
  }

  /// The items of the group.
  ///
  /// - Throws: `corruptItem` when one can't be read: a part of a cache is never given out as the whole.
  public func export() async throws -> ADALFile {
    let tokens = try await backend.records(matching: .all(.legacy)).map { try $0.document().adalToken }
    return ADALFile(tokens: tokens.compactMap(\.self).filter { $0.kind != nil })
  }
}
