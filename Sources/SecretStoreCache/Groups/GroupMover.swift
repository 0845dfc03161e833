// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import TokenCacheModel

/// Moves a group out of the default collection into one of its own, one record at a time.
///
/// Each record is moved under its write lock: copied, read back, and then deleted where it was. Whatever step is the last
/// one, no record is lost, none that was removed comes back, and the next move goes on from there: of two copies the
/// higher revision counts, and a removal removes both.
struct GroupMover: Sendable {
  /// What a move has just done.
  enum Step: Sendable {
    case placeMade, recordCopied, recordDeleted, markerDeleted
  }

  let client: SecretServiceClient
  let group: AccessGroup
  var interaction = Interaction.never
  /// Told of each step; what it throws ends the move there.
  var afterStep: @Sendable (Step) async throws -> Void = { _ in }

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  /// Moves what is not in the group's own collection yet.
  ///
  /// - Returns: How many records were moved.
  func move() async throws -> Int {
    guard let place = try await finder.find() else { return 0 }
    var target = place
    if place.placement != .dedicated {
      target = try await GroupMaker(
        client: client, group: group, policy: .dedicated, interaction: interaction
      )
      .makeDedicated()
      try await afterStep(.placeMade)
    }
    return try await gather(into: target)
  }

  /// Brings all that lies in other collections into one, and takes the other markers away.
  ///
  /// - Returns: How many records were moved.
  func gather(into target: GroupLocation) async throws -> Int {
    var moved: Set<RecordKey> = []
    // From the first copy on nobody goes on with an item that is not looked for again, also when this is cut short.
    let version = try VersionFile(of: group)
    try version.unsettle()
    var isNew: Bool
    repeat {
      isNew = false
      for item in try await strays(from: target) {
        guard let key = try await recordKey(of: item) else { continue }
        try await FileLock("write", of: key, in: group).run { try await gather(key, in: target) }
        if moved.insert(key).inserted { isNew = true }
      }
      for marker in try await client.search(finder.markerAttributes).unlocked
      where marker.parent != target.collection {
        _ = try await client.deleteItem(marker)
        try await afterStep(.markerDeleted)
      }
      // Until its marker went, the former place may have got records.
    } while isNew
    try version.settle()
    client.log(.debug, "moved the group", ["group": group.description, "records": "\(moved.count)"])
    return moved.count
  }

  /// Which record an item is of; `nil` for a marker, a password, and one that went with its record's other copies.
  private func recordKey(of item: ObjectPath) async throws -> RecordKey? {
    do {
      let key = ItemAttributes.key(try await client.attributes(of: item))
      return key?.kind == .group || key?.kind == .groupKey ? nil : key
    } catch let error as BusError where error.meaning == .noSuchObject {
      return nil
    }
  }

  /// The group's items in other collections.
  private func strays(from target: GroupLocation) async throws -> [ObjectPath] {
    let found = try await client.search(ItemAttributes.owner(group))
    guard !found.isIncomplete else { throw SecretServiceClient.locked }
    return found.unlocked.filter { $0.parent != target.collection }.sorted { $0.text < $1.text }
  }

  /// Brings a record's newest copy into the group's collection, and deletes the others.
  private func gather(_ key: RecordKey, in target: GroupLocation) async throws {
    let attributes = ItemAttributes.all(key, in: group)
    let found = try await client.search(attributes)
    // The newest may be in what somebody has locked since.
    guard !found.isIncomplete else { throw SecretServiceClient.locked }
    let copies = found.unlocked
    let secrets = try await client.secrets(of: copies)
    func revision(_ path: ObjectPath) -> Int {
      guard let secret = secrets[path], !secret.isEmpty else { return -2 }
      return secret.document?.sharing.revision ?? -1
    }
    func isHome(_ path: ObjectPath) -> Bool { path.parent == target.collection }
    guard
      let newest = copies.max(by: { left, right in
        (revision(left), isHome(left) ? 1 : 0) < (revision(right), isHome(right) ? 1 : 0)
      })
    else { return }
    // What can't be read, or is another content of the same age, may be the only copy of something: it stays.
    let others = copies.filter { secrets[$0]?.isEmpty != true && secrets[$0] != secrets[newest] }
    guard others.allSatisfy({ revision($0) >= 0 && revision($0) < revision(newest) }) else { return }
    if let secret = secrets[newest], !secret.isEmpty, !isHome(newest) {
      let copy = try await client.createItem(
        in: target.collection, label: try await client.label(of: newest), attributes: attributes,
        schema: ItemAttributes.schema, secret: secret)
      guard try await client.secrets(of: [copy])[copy] == secret else {
        throw SecretStoreError(.storageFailed, "What was written to the group could not be read back.")
      }
      try await afterStep(.recordCopied)
    }
    // Who shares no lock may have written meanwhile.
    let strays = copies.filter { !isHome($0) }
    let now = try await client.secrets(of: strays)
    guard strays.allSatisfy({ now[$0] == secrets[$0] }) else { return try await gather(key, in: target) }
    for copy in strays {
      guard try await client.deleteItem(copy) else { throw SecretServiceClient.wantsDialog }
      try await afterStep(.recordDeleted)
    }
  }
}
