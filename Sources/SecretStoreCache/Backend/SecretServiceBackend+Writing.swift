// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension SecretServiceBackend {
  /// Writes a record to its item, which is made when there is none.
  ///
  /// - Parameters:
  ///   - read: What the document was made from.
  ///   - place: Where the group is, when the read before had to find that out.
  ///   - era: When that was: what paths are good for.
  /// - Throws: ``StaleChange`` when what was read has gone since: it was moved or its group deleted, or no lock is shared.
  func write(
    _ document: CacheDocument, _ key: RecordKey, over read: StoredItem?, at place: GroupLocation?,
    readIn era: PathEra
  ) async throws {
    var json = document.serialized()
    var escaped = QuotedBraces.escaped(json)
    json.wipe()
    let secret = Secret(wiping: &escaped)
    guard secret.count <= ServiceHandle.maximumBytes else {
      throw SecretStoreError(
        .invalidArgument, "The record is larger than \(ServiceHandle.maximumBytes) bytes.")
    }
    // Another daemon has the same item under another path: a second one must not be made. And after a deletion
    // the path may be another item's.
    let checked = try await client.connection().era
    let item = checked == era ? read : try await current(key).item
    if (item == nil) != (read == nil) { throw StaleChange() }
    let paths = self.era(on: try await client.connection())
    let path = item?.path ?? known.withLock { $0.path(of: key, in: paths) }
    if let path {
      do {
        try await client.setSecret(secret, of: path)
        if try await client.connection().era == checked { return }
        if try await holds(path, key) { return }
      } catch let error as BusError where error.meaning == .noSuchObject {}
      known.withLock { $0.forget(key) }
    }
    if read != nil || path != nil && WriteWindow.current != nil { throw StaleChange() }
    let made: ObjectPath
    do {
      made = try await create(key, document, secret, in: place)
    } catch let error as BusError where place != nil && error.meaning == .noSuchObject {
      made = try await create(key, document, secret, in: nil)
    }
    let now = self.era(on: try await client.connection())
    known.withLock { $0.remember(made, for: key, in: now) }
  }

  /// Whether an item that was written to is the record's.
  ///
  /// It may have been deleted right before, and its path given to another record's. What that one held is lost, as
  /// is all that was deleted; it is emptied, so that nobody takes it for corrupt.
  func holds(_ path: ObjectPath, _ key: RecordKey) async throws -> Bool {
    if try await client.attributes(of: path).contains(ItemAttributes.all(key, in: group)) { return true }
    if try await client.secrets(of: [path])[path]?.document?.sharing.record == key {
      try await client.setSecret(Secret([]), of: path)
    }
    return false
  }

  /// Makes a record's item, and the group when there is none.
  private func create(
    _ key: RecordKey, _ document: CacheDocument, _ secret: Secret, in place: GroupLocation?
  ) async throws -> ObjectPath {
    let maker = GroupMaker(client: client, group: group, policy: options.placement)
    let collection: ObjectPath
    if let place {
      collection = place.collection
    } else {
      // It has turns of its own.
      collection = try await WriteWindow.$current.withValue(nil) { try await maker.findOrMake().collection }
    }
    let label = document.secretLabel ?? ItemAttributes.label(key, in: group)
    let attributes = ItemAttributes.all(key, in: group)
    if try await !client.traits().deletesWithoutDialog,
      let item = try await retired.reuse(
        in: collection, label: label, attributes: attributes, schema: ItemAttributes.schema, secret: secret)
    {
      return item
    }
    return try await client.createItem(
      in: collection, label: label, attributes: attributes, schema: ItemAttributes.schema, secret: secret)
  }

  private var retired: RetiredItems { RetiredItems(client: client, group: group) }

  /// Changes what a person reads of a record's item.
  func setLabel(_ label: String?, _ key: RecordKey) async throws {
    let era = era(on: try await client.connection())
    var path = known.withLock { $0.path(of: key, in: era) }
    if path == nil { path = try await current(key).item?.path }
    guard let path else { return }
    try await client.setLabel(label ?? ItemAttributes.label(key, in: group), of: path)
  }

  /// Deletes every copy of a record.
  func delete(_ key: RecordKey) async throws {
    known.withLock { $0.forget(key) }
    let attributes = ItemAttributes.all(key, in: group)
    var found = try await client.search(attributes)
    if found.isIncomplete {
      _ = try await GroupFinder(client: client, group: group).find()
      found = try await client.search(attributes)
    }
    guard found.locked.isEmpty else {
      throw SecretStoreError(.groupLocked, "Items of the access group \(group) are locked.")
    }
    for path in found.unlocked { try await delete(path) }
  }

  /// Deletes one copy, or empties it where that would take a dialog.
  func delete(_ item: ObjectPath) async throws {
    do {
      if try await !client.deleteItem(item) { try await retired.retire(item) }
    } catch let error as BusError where error.meaning == .noSuchObject {
      // Somebody else has removed it since it was found.
    }
  }
}
