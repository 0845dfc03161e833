// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The items that are removed one by one, part by part.
extension GroupRemover {
  /// The items of the group that a search has found, and that are not removed yet.
  ///
  /// One search for every part would take time in proportion to the square of their number. Markers and passwords are
  /// not among them: they go right after a search.
  struct Found: Sendable {
    fileprivate(set) var items: [ObjectPath] = []
    /// The items that the search has found to be others'.
    fileprivate var unrelated: Set<ObjectPath> = []
    /// The labels of the collections.
    fileprivate var labels: [String] = []

    /// What is left of a group, in a sentence; `nil` when nothing is known to be left.
    ///
    /// Some of it may be gone, when a part has not ended.
    func sentence(of group: AccessGroup) -> String? {
      if items.isEmpty { return nil }
      let count = Quantity.of(items.count, "item")
      return "Left of the access group \(group): up to \(count) in \(labels.joined(separator: ", "))."
    }
  }

  /// The number of searches that find something, after which a removal ends: others keep storing what it removes.
  static let maximumSearches = 100

  /// Returns what a search has found, with the labels of its collections.
  func found(_ items: [ObjectPath], beside unrelated: Set<ObjectPath>) async throws -> Found {
    if items.isEmpty { return Found() }
    return Found(
      items: items, unrelated: unrelated, labels: try await client.displayNames(ofCollectionsOf: Set(items)))
  }

  /// Removes one part of what the last search has found.
  func removeFound(after previous: Part) async throws -> Part {
    var part = previous
    let (removed, left) = try await removeItems(
      previous.found.items, previous.withoutOwner, beside: previous.found.unrelated)
    part.found.items = left
    part.existed = removed > 0
    return part
  }

  /// Removes the first items that belong to the group, as many as a part has.
  ///
  /// - Returns: The number of items removed, and those that the part had no room for.
  func removeItems(
    _ items: [ObjectPath], _ withoutOwner: ItemsWithoutOwner, beside unrelated: Set<ObjectPath>
  ) async throws -> (removed: Int, left: [ObjectPath]) {
    var removed = 0
    for (index, item) in items.enumerated() {
      if removed == itemsInPart { return (removed, Array(items[index...])) }
      do {
        try await ignoringMissingObject {
          let attributes = try await client.attributes(of: item)
          let isWithoutOwner = withoutOwner.isOwn(item, attributes)
          guard isWithoutOwner || attributes.contains(ItemAttributes.owner(group)),
            try await isRemovable(item, attributes, isWithoutOwner: isWithoutOwner)
          else { return }
          // Don't count an item that the provider only emptied before: each part finds it again.
          if !attributes.contains(ItemAttributes.recycled(in: group)) { removed += 1 }
          try await RecycledItems(client: client, group: group).delete(item)
        }
      } catch let error as BusError where error.meaning == .failed {
        throw try await refusal(error, beside: unrelated)
      }
    }
    return (removed, [])
  }

  /// Returns the error of a removal that the service refused, as on a full disk, which says what is left.
  private func refusal(_ error: BusError, beside unrelated: Set<ObjectPath>) async throws -> SecretStoreError
  {
    let failure = error.storeError
    let rest = try await client.search(ItemAttributes.owner(group))
    let left = Set(rest.unlocked + rest.locked).subtracting(unrelated)
    if left.isEmpty { return failure }
    let found = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group))
    let passwords = found.unlocked + found.locked
    let labels = try await client.displayNames(ofCollectionsOf: left)
    let what = left.isSubset(of: passwords) ? "only its password" : "items"
    return SecretStoreError(
      failure.code,
      "\(failure.detail) Left of the access group \(group): \(what) in \(labels.joined(separator: ", ")).",
      underlying: failure.underlying)
  }

  /// Runs a step, and ignores that another process has already removed its object.
  func ignoringMissingObject(_ step: () async throws -> Void) async throws {
    do {
      try await step()
    } catch let error as BusError where error.meaning == .noSuchObject {}
  }

  /// Returns whether an item of the group is not another program's now, nor the password of a collection that still
  /// exists.
  ///
  /// Such a collection may hold items of others, or be another group's. The attributes must be read again: the item was
  /// found a while ago, and another program's item may have its path by now.
  private func isRemovable(
    _ item: ObjectPath, _ attributes: [String: String], isWithoutOwner: Bool
  ) async throws -> Bool {
    let items = [item: attributes]
    let bare = isWithoutOwner ? try await ItemsWithoutOwner.bare(among: items, of: group, client) : [:]
    let foreign = try await client.foreign(among: items)
    guard foreign.isEmpty || !bare.isEmpty else { return false }
    guard attributes["kind"] == RecordKind.groupKey.rawValue,
      let file = GnomeKeyringFile(attribute: attributes[ItemAttributes.keyring]),
      let collection = file.collection
    else { return true }
    return try await client.isLocked(collection) == nil
  }
}
