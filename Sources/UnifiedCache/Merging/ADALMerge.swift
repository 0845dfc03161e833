// SPDX-License-Identifier: MIT

/// The merge of one imported ADAL item into its record.
///
/// An item that is not newer than the stored one changes nothing, and neither does one of a signed-out account; with
/// `replaces`, it is stored in any case.
package struct ADALMerge {
  package let incoming: ADALToken
  let replaces: Bool
  /// Where only other programs have a copy of the record, so that the group gets one of its own, that copy's sign-out
  /// number; otherwise `nil`.
  let signOutNumberOfOthers: Int?
  let freshness: Freshness

  /// Creates a merge.
  package init(incoming: ADALToken, replaces: Bool, signOutNumberOfOthers: Int?, freshness: Freshness) {
    self.incoming = incoming
    self.replaces = replaces
    self.signOutNumberOfOthers = signOutNumberOfOthers
    self.freshness = freshness
  }

  /// A document with the item only.
  package var document: CacheDocument {
    var document = CacheDocument()
    document.adalToken = incoming
    return document
  }

  /// Merges the item into the stored document.
  package func apply(to stored: inout CacheDocument?) -> RecordMerge.Outcome {
    merge(into: &stored).writing(&stored, if: signOutNumberOfOthers != nil, replaces: replaces)
  }

  private func merge(into stored: inout CacheDocument?) -> RecordMerge.Outcome {
    func isSignedOut(_ document: CacheDocument, _ token: ADALToken) -> Bool {
      token.kind == nil && document.metadata.signOutNumber > 0
    }
    // What only another program has signs nobody out; the group's own sign-out since then has another number.
    guard var document = stored, let known = document.adalToken,
      !isSignedOut(document, known) || document.metadata.signOutNumber != signOutNumberOfOthers
    else {
      var document = signOutNumberOfOthers != nil ? CacheDocument() : stored ?? CacheDocument()
      document.adalToken = incoming
      stored = document
      return .added
    }
    if !replaces {
      if isSignedOut(document, known) { return .signedOut }
      if !freshness.isNewer(incoming, than: known) { return .unchanged }
    }
    if replaces { document.metadata.forgetSignedOutApps() }
    document.adalToken = incoming
    if document == stored { return .unchanged }
    if replaces { document.metadata.removalCount += 1 }
    stored = document
    return .updated
  }
}
