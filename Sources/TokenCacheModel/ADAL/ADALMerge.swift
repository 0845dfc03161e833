// SPDX-License-Identifier: MIT

import FoundationEssentials

/// How one record takes up an item of an imported file.
struct ADALMerge {
  let incoming: ADALToken
  let replaces: Bool

  /// Merges into what is stored.
  func apply(to stored: inout CacheDocument?) -> RecordMerge.Outcome {
    guard var document = stored, let present = document.adalToken else {
      var document = stored ?? CacheDocument()
      document.adalToken = incoming
      stored = document
      return .added
    }
    if !replaces {
      if present.kind == nil && document.sharing.epoch > 0 { return .signedOut }
      let isNewer = incoming.issuedAt ?? .distantPast > present.issuedAt ?? .distantPast
      if !isNewer { return .unchanged }
    }
    if replaces { document.sharing.forgetSignedOutApps() }
    document.adalToken = incoming
    if document == stored { return .unchanged }
    stored = document
    return .updated
  }
}
