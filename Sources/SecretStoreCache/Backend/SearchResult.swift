// SPDX-License-Identifier: MIT

import TokenCacheModel

/// The result of several searches: the unlocked items, each with the attributes of the search that found it.
struct SearchResult {
  var unlocked: [ObjectPath: [String: String]] = [:]
  var locked: Set<ObjectPath> = []
  var isIncomplete = false
  /// The secrets, when the search reply included them.
  var secrets: [ObjectPath: Secret]?
  /// The group's unlocked markers, when they were searched for.
  var markers: [ObjectPath]?
  /// Whether one of the group's markers is in a locked collection.
  var hasLockedMarker = false
  var all: [ObjectPath] { Array(unlocked.keys) + (markers ?? []) }

  /// Adds the items that each of several searches found.
  mutating func add(_ replies: [FoundItems], of searches: [[String: String]]) {
    for (attributes, found) in zip(searches, replies) {
      for path in found.unlocked { unlocked[path] = attributes }
      locked.formUnion(found.locked)
      if found.isIncomplete { isIncomplete = true }
    }
  }
}
