// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import TokenCacheModel

/// Moves a group from the default collection into a dedicated one, one record at a time.
///
/// Each record is moved under its write lock: it is copied, read back, and then deleted at its old place. A move can be
/// interrupted after any step. No record is lost, no removed record comes back, and the next move continues: of two
/// copies the higher revision counts, and a removal removes both. A cancelled move ends after a whole record.
package struct GroupMover: Sendable {
  /// The step that a move has just completed.
  package enum Step: Sendable {
    case placeMade, recordCopied, recordDeleted, markerDeleted
  }

  let client: SecretServiceClient
  let group: AccessGroup
  var promptPolicy = PromptPolicy.never
  /// The collections that are the group's, as its marker notes, also where no password proves it.
  package var noted: Set<ObjectPath> = []
  /// Receives how many records are moved, and of how many.
  var progress: WorkProgress.Report?
  /// Called after each step; an error that it throws ends the move.
  var afterStep: @Sendable (Step) async throws -> Void = { _ in }

  package init(
    client: SecretServiceClient, group: AccessGroup, promptPolicy: PromptPolicy = PromptPolicy.never,
    progress: WorkProgress.Report? = nil,
    afterStep: @escaping @Sendable (Step) async throws -> Void = { _ in }
  ) {
    self.client = client
    self.group = group
    self.promptPolicy = promptPolicy
    self.progress = progress
    self.afterStep = afterStep
  }

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  private func standings(of collections: [ObjectPath]) async throws -> CollectionStandings {
    try await GroupProof(client: client, group: group).standings(of: Set(collections)).proving(noted)
  }

  /// Moves everything that is not in the group's dedicated collection yet.
  ///
  /// - Returns: The number of records moved.
  func move() async throws -> Int {
    guard let location = try await finder.find() else { return 0 }
    var target = location
    if location.placement != .dedicated {
      let creator = GroupCreator(
        client: client, group: group, policy: .dedicated, promptPolicy: promptPolicy)
      target = try await creator.makeDedicated()
      try await creator.note(target.collection, at: location)
      try await afterStep(.placeMade)
    }
    return try await moveRecords(into: target)
  }

  /// Moves all records from other collections into one collection, and deletes the other markers.
  ///
  /// Nothing is deleted in a collection that is not proven to be one that may hold the group's records.
  ///
  /// - Returns: The number of records moved.
  /// - Throws: An error that names the records that could not be moved, as when another app holds their locks. All
  ///   others are moved then, and the next move continues.
  package func moveRecords(into target: GroupLocation) async throws -> Int {
    var seen: Set<RecordKey> = []
    var moved: Set<RecordKey> = []
    // From the first copy on, no process may use a remembered path, even when this move is interrupted.
    let version = try VersionFile(of: group)
    try version.unsettle()
    var progress = WorkProgress(of: 0, self.progress)
    var failures = RecordFailures()
    var isNew: Bool
    repeat {
      isNew = false
      let keys = try await recordKeys(of: itemsElsewhere(from: target))
      progress.add(keys.count { !seen.contains($0) })
      for key in keys {
        let isMoved = try await failures.attempt(key) {
          try await FileLock(.write, of: key, in: group).run(waiting: Self.lockLimit) {
            try await Uncancelled.run { try await moveRecord(key, to: target) }
          }
        }
        Deadline.restart()
        if isMoved == true { moved.insert(key) }
        guard seen.insert(key).inserted else { continue }
        isNew = true
        progress.finishItem()
      }
      // The markers stay as long as records do.
      try failures.check()
      let others = try await client.search(finder.markerAttributes).unlocked.filter {
        $0.parent != target.collection
      }
      let contents = try await client.secrets(of: others)
      let standings = try await standings(of: others.map(\.parent))
      for marker in others where standings[marker.parent] == .proven {
        // An item that only has a marker's attributes may be the only copy of something else, and a newer version may
        // need what this one does not understand.
        if let content = contents[marker], !content.isEmpty,
          (try? GroupMarker(parsing: content, of: group)) == nil
        {
          continue
        }
        _ = try await client.deleteItem(marker)
        try await afterStep(.markerDeleted)
      }
      // The old place may have received records until its marker was deleted.
    } while isNew
    try version.settle()
    client.log(.debug, "moved the group", ["group": group.qualifiedName, "records": "\(moved.count)"])
    return moved.count
  }

  /// How long the lock of one record is waited for.
  private static let lockLimit = Duration.seconds(10)

  /// Returns the records that the items belong to, each once.
  ///
  /// It leaves out markers, passwords, items set aside because they only had a marker's attributes, other programs'
  /// items, and items that were deleted together with another copy of their record.
  private func recordKeys(of items: [ObjectPath]) async throws -> [RecordKey] {
    let attributes = try await client.attributes(of: items)
    let foreign = try await client.foreign(among: attributes)
    var seen: Set<RecordKey> = []
    return items.filter { !foreign.contains($0) }.compactMap { attributes[$0].flatMap(ItemAttributes.key) }
      .filter { ![.group, .groupKey].contains($0.kind) && !$0.isSetAsideMarker && seen.insert($0).inserted }
  }

  /// Returns the group's items in other collections.
  private func itemsElsewhere(from target: GroupLocation) async throws -> [ObjectPath] {
    let found = try await finder.search(ItemAttributes.owner(group))
    guard found.unsearchedCollections.isEmpty else { throw SecretServiceClient.locked }
    return found.unlocked.filter { $0.parent != target.collection }.sorted { $0.text < $1.text }
  }

  /// Copies a record's newest version into the group's collection, unless it is there, and deletes the older copies.
  ///
  /// A copy in a collection that may not hold the group's records counts only where there is no other, and stays
  /// otherwise.
  ///
  /// - Parameter isChanged: Whether another app has just changed a copy elsewhere, which counts if it is newer.
  /// - Returns: Whether something was moved or deleted.
  private func moveRecord(
    _ key: RecordKey, to target: GroupLocation, afterChange isChanged: Bool = false
  ) async throws -> Bool {
    let attributes = ItemAttributes.all(key, in: group)
    // The newest copy may be in a collection that has been locked since.
    let found = try await finder.search(ItemAttributes.identifying(key, in: group))
    guard found.unsearchedCollections.isEmpty else { throw SecretServiceClient.locked }
    var copies = found.unlocked
    if copies.count > 1 {
      let own = try await client.attributes(of: copies)
      let foreign = try await client.foreign(among: own)
      copies.removeAll { foreign.contains($0) || own[$0].flatMap(ItemAttributes.key) != key }
    }
    let standings = try await standings(of: copies.map(\.parent))
    copies = standings.counted(copies, at: \.self)
    let secrets = try await client.secrets(of: copies)
    func revision(_ path: ObjectPath) -> Int {
      guard let secret = secrets[path], !secret.isEmpty else { return -2 }
      return secret.document?.metadata.revision ?? -1
    }
    func isHome(_ path: ObjectPath) -> Bool { path.parent == target.collection }
    func rank(_ path: ObjectPath) -> (Int, Int, Int) {
      let isHome = isHome(path) && revision(path) >= 0 ? 1 : 0
      return (isChanged ? 0 : isHome, revision(path), isHome)
    }
    guard
      let newest = copies.max(by: { left, right in
        rank(left) < rank(right)
      })
    else { return false }
    // A copy that can't be read, or has the same revision and other content, may be the only copy of something. It
    // stays.
    let others = copies.filter { secrets[$0]?.isEmpty != true && secrets[$0] != secrets[newest] }
    guard others.allSatisfy({ revision($0) >= 0 && revision($0) < revision(newest) }) else {
      return false
    }
    if let secret = secrets[newest], !secret.isEmpty, !isHome(newest) {
      let copy = try await client.createItem(
        in: target.collection, label: try await client.label(of: newest), attributes: attributes,
        schema: ItemAttributes.schema, secret: secret)
      guard try await client.secrets(of: [copy])[copy] == secret else {
        throw SecretStoreError(.storageFailed, "What was written to the group could not be read back.")
      }
      try await afterStep(.recordCopied)
    }
    // An app without shared locks may have written in the meantime.
    let itemsElsewhere = copies.filter { !isHome($0) && standings[$0.parent] == .proven }
    let now = try await client.secrets(of: itemsElsewhere)
    guard itemsElsewhere.allSatisfy({ now[$0] == secrets[$0] }) else {
      return try await moveRecord(key, to: target, afterChange: true)
    }
    for copy in itemsElsewhere {
      guard try await client.deleteItem(copy) else { throw SecretServiceClient.requiresDialog }
      try await afterStep(.recordDeleted)
    }
    return !itemsElsewhere.isEmpty
  }
}
