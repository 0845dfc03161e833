// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON

/// The copy of one record of a group into another group.
struct RecordCopy: Sendable {
  /// The record's key in the other group.
  let key: RecordKey
  let incoming: CacheDocument
  private let signOutNumberOfOthers: Int?
  private let knownSignOutNumber: Int?
  private let freshness: Freshness

  /// Creates a copy.
  ///
  /// - Parameters:
  ///   - signOutNumberOfOthers: As of ``RecordMerge``, in the other group.
  ///   - knownSignOutNumber: As of ``RecordMerge``.
  init(
    _ incoming: CacheDocument, to key: RecordKey, signOutNumberOfOthers: Int?, knownSignOutNumber: Int?,
    _ freshness: Freshness
  ) {
    self.key = key
    self.incoming = incoming
    self.signOutNumberOfOthers = signOutNumberOfOthers
    self.knownSignOutNumber = knownSignOutNumber
    self.freshness = freshness
  }

  /// Returns what is copied of a record; `nil` when it holds nothing that another group has a use for.
  ///
  /// Data of the group as a whole stays, such as hints, requests that are not sent again and the record of a removal.
  /// So does what a sign-out leaves.
  static func content(of document: CacheDocument, in key: RecordKey) -> CacheDocument? {
    switch key.kind {
    case .credentials, .family:
      let isLeftBySignOut = document.isSignedOut(for: nil) && !document.hasTokens
      if isLeftBySignOut || !document.holdsEntries { return nil }
    case .legacy: if document.adalToken?.kind == nil { return nil }
    case .client, .secret: break
    case .groupData: if key != CachePartitioner.leftovers && !key.isKeychainObject { return nil }
    case .group, .groupKey, .damaged: return nil
    }
    var content = document
    content.metadata = document.metadata.copied
    return content == CacheDocument(metadata: DocumentMetadata()) ? nil : content
  }

  /// Copies the record into the stored document.
  ///
  /// Whatever is newer there stays, and so do the sign-out numbers and the states of apps.
  func apply(to stored: inout CacheDocument?) -> RecordMerge.Outcome {
    var document = stored
    let outcome = merge(into: &document)
    guard [.added, .updated, .unchanged].contains(outcome) else { return outcome }
    document?.metadata.fillStates(from: incoming.metadata)
    let isChanged = document != stored
    stored = document
    return outcome == .unchanged && isChanged ? .updated : outcome
  }

  private func merge(into stored: inout CacheDocument?) -> RecordMerge.Outcome {
    if let token = incoming.adalToken, key.kind == .legacy {
      return ADALMerge(
        incoming: token, replaces: false, signOutNumberOfOthers: signOutNumberOfOthers, freshness: freshness
      )
      .apply(to: &stored)
    }
    guard key.kind == .secret || key.isKeychainObject else {
      return RecordMerge(
        incoming: incoming, replaces: false, signOutNumberOfOthers: signOutNumberOfOthers,
        knownSignOutNumber: knownSignOutNumber,
        freshness: freshness
      ).apply(to: &stored)
    }
    guard let known = stored else {
      stored = incoming
      return .added
    }
    guard known.appContent == incoming.appContent else { return .conflicting }
    return RecordMerge.Outcome.unchanged.writing(&stored, if: signOutNumberOfOthers != nil, replaces: false)
  }
}

extension CacheDocument {
  /// What an app stored by itself, without its dates and its label.
  fileprivate var appContent: JSONObject {
    var content = root
    content[Self.metadataSection] = nil
    if var secret = content[Self.secretMember]?.objectValue {
      for name in ["created_at", "modified_at", "label"] { secret[name] = nil }
      content[Self.secretMember] = .object(secret)
    }
    return content
  }
}

extension DocumentMetadata {
  /// The members that hold states by app, client or account, and how many levels of names lead to a state.
  private static let states = [
    ("apps", 1), ("current_accounts", 1), ("tenants", 1), ("account_metadata", 2),
  ]

  /// The states, and what the tokens need.
  fileprivate var copied: DocumentMetadata {
    var copied = DocumentMetadata()
    for name in Self.states.map(\.0) + ["current_names", "refresh_token_at"] {
      copied.fields[name] = fields[name]
    }
    return copied
  }

  /// Takes over the states that this record lacks.
  fileprivate mutating func fillStates(from other: DocumentMetadata) {
    let known = fields["current_accounts"]?.objectValue ?? [:]
    for (name, levels) in Self.states {
      guard let others = other.fields[name] else { continue }
      fields[name] = Self.filled(fields[name], with: others, levels: levels)
    }
    // The name of a current account belongs to its identifier.
    for (app, name) in other.fields["current_names"]?.objectValue ?? [:] where known[app] == nil {
      var names = fields["current_names"]?.objectValue ?? [:]
      names[app] = name
      fields["current_names"] = .object(names)
    }
  }

  private static func filled(_ own: JSONValue?, with others: JSONValue, levels: Int) -> JSONValue {
    guard let own else { return others }
    guard levels > 0, var members = own.objectValue, let others = others.objectValue else { return own }
    for (name, value) in others { members[name] = filled(members[name], with: value, levels: levels - 1) }
    return .object(members)
  }
}
