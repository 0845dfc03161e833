// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Finds, sets aside and removes the items of a group that can't be read.
///
/// Each item is changed under its record's write lock, and only if it has not changed since it was found.
package struct DamagedItems: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  package init(client: SecretServiceClient, group: AccessGroup) {
    self.client = client
    self.group = group
  }

  /// Returns every item of the group that can't be read, sorted by purpose.
  ///
  /// - Throws: The error that keeps the group from being unlocked without a prompt, such as `groupLocked`.
  func all() async throws -> [DamagedItem] {
    let finder = GroupFinder(client: client, group: group)
    if try await finder.openLocation() == nil { try await finder.openLeftovers() }
    let paths = try await client.search(ItemAttributes.owner(group)).unlocked
    let contents = try await client.secrets(of: paths)
    let attributes = try await client.attributes(of: paths)
    let foreign = try await client.foreign(among: attributes)
    return paths.filter { !foreign.contains($0) }.compactMap { path in
      DamagedItem(path: path, attributes: attributes[path] ?? [:], content: contents[path], in: group)
    }.sorted(by: DamagedItem.isBefore)
  }

  /// Sets aside the items that block a record.
  ///
  /// Each gets another kind, which no app searches for, and keeps its content. An item in a collection that is not
  /// proven to be one that may hold the group's records stays as it is, and blocks none.
  package func setAside(progress: WorkProgress.Report? = nil) async throws {
    try await setAside(progress) { _ in true }
  }

  /// Sets aside only the items that have the attributes of the group's marker.
  package func setAsideMarkers() async throws { try await setAside(nil) { $0.record.kind == .group } }

  /// Sets aside the items that keep a record from being read, except for those that a newer version wrote.
  ///
  /// - Returns: Whether an item is set aside, now or since a time. Where the provider records no times, since ever.
  func setAside(_ record: RecordKey, since time: Int) async throws -> Bool {
    if try await setAside(nil, { $0.record == record && !$0.isOfNewerVersion }) > 0 { return true }
    let former = try await all().filter { $0.isSetAside && $0.record == record }
    let standings = try await GroupProof(client: client, group: group)
      .standings(of: Set(former.map(\.path.parent)))
    for item in former where standings[item.path.parent] == .proven {
      guard let modified = try await client.ifExists({ try await client.modified(item.path) }) else {
        continue
      }
      if modified == 0 || modified >= time { return true }
    }
    return false
  }

  /// Sets aside the chosen items, and returns their number.
  @discardableResult
  private func setAside(
    _ report: WorkProgress.Report?, _ isChosen: (DamagedItem) -> Bool
  ) async throws -> Int {
    let found = try await all().filter { !$0.isSetAside && isChosen($0) }
    let standings = try await GroupProof(client: client, group: group)
      .standings(of: Set(found.map(\.path.parent)))
    let items = found.filter { standings[$0.path.parent] == .proven }
    var progress = WorkProgress(of: items.count, report)
    var count = 0
    for item in items {
      let isSetAside = try await changing(item) {
        try await client.setAttributes(
          withSchema: ItemAttributes.all(item.setAsideKey, in: group), of: item.path)
        try await client.setLabel(ItemAttributes.label(item.setAsideKey, in: group), of: item.path)
      }
      if isSetAside { count += 1 }
      Deadline.restart()
      progress.finishItem()
    }
    return count
  }

  /// Removes an item.
  ///
  /// - Returns: Whether it was unchanged since it was found; otherwise it is not removed.
  func remove(_ item: DamagedItem) async throws -> Bool {
    try await changing(item) {
      try await RecycledItems(client: client, group: group).delete(item.path)
    }
  }

  /// Runs a step on an item if it has not changed since it was found.
  ///
  /// - Returns: Whether the step ran.
  private func changing(
    _ item: DamagedItem, _ step: @escaping @Sendable () async throws -> Void
  ) async throws -> Bool {
    try await FileLock(.write, of: item.record, in: group).run {
      do {
        let attributes = try await client.attributes(of: item.path)
        let content = try await client.secrets(of: [item.path])[item.path]
        guard attributes.contains(ItemAttributes.owner(group)),
          try await client.foreign(among: [item.path: attributes]).isEmpty,
          let now = DamagedItem(path: item.path, attributes: attributes, content: content, in: group),
          now.id == item.id, now.content == item.content, now.isSetAside == item.isSetAside
        else { return false }
        try await Uncancelled.run(step)
        return true
      } catch let error as BusError where error.meaning == .noSuchObject {
        return false
      }
    }
  }
}
