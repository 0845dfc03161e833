// SPDX-License-Identifier: MIT

import TokenCacheModel

/// The items that a search found.
package struct FoundItems: Sendable {
  package var unlocked: [ObjectPath] = []
  package var locked: [ObjectPath] = []
  /// Locked collections whose items a search can't see.
  package var unsearchedCollections: [ObjectPath] = []

  /// Whether there may be items that were not found or can't be read.
  package var isIncomplete: Bool { !locked.isEmpty || !unsearchedCollections.isEmpty }
}

/// The results of several searches, in their order.
struct SearchReplies: Sendable {
  var found: [FoundItems] = []
  /// The secrets of all items found; `nil` when the provider was not asked for them or did not return them.
  var secrets: [ObjectPath: Secret]?
}
