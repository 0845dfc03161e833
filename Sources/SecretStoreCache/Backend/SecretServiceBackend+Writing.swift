// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import TokenCacheModel

extension SecretServiceBackend {
  /// Writes a record to its item, and creates the item when there is none.
  ///
  /// - Parameters:
  ///   - read: The item that the document was derived from.
  ///   - claims: What the group's markers say, when the preceding read looked at them.
  ///   - validity: The path validity at the time of that read.
  ///   - creation: The lock that keeps other apps from creating the group; it is released before this call may do so.
  ///   - optimisticWrite: The write without a shared lock that this is a part of; `nil` under a shared lock.
  /// - Returns: The item.
  /// - Throws: ``WriteConflict`` when the item that was read is gone, because it was moved or its group was deleted.
  ///   Without a shared lock also when another app has written it.
  @discardableResult func write(
    _ document: CacheDocument, _ key: RecordKey, over read: StoredItem?, at claims: GroupClaims?,
    readIn validity: PathValidity, releasing creation: inout FileLock.Hold?,
    during optimisticWrite: OptimisticWrite? = nil
  ) async throws -> ObjectPath {
    let secret = try Self.secret(of: document)
    // Another daemon has the same item under another path, and a second item must not be created. After a collection
    // was deleted, the path may belong to another item.
    let checked = try await client.connection().validity
    let item = checked == validity ? read : try await current(key).item
    if (item == nil) != (read == nil) { throw WriteConflict() }
    var path = item?.path
    if path == nil {
      let paths = self.generation(on: try await client.connection())
      path = known.withLock { $0.path(of: key, in: paths) }
    }
    let proof = GroupProof(client: client, group: group)
    if let path, try await proof.standings(of: [path.parent])[path.parent] != .proven {
      // The record is in a collection that is not proven to be the group's. From now on the new item counts.
      creation = nil
      return try await make(document, key, secret, in: claims, during: optimisticWrite)
    }
    if let path {
      do {
        try await client.setSecret(secret, of: path, during: optimisticWrite)
        if try await client.connection().validity == checked { return path }
        if try await holds(path, key, during: optimisticWrite) { return path }
      } catch let error as BusError where error.meaning == .noSuchObject {}
      known.withLock { $0.forget(key) }
    }
    if read != nil || path != nil && optimisticWrite != nil { throw WriteConflict() }
    creation = nil
    return try await make(document, key, secret, in: claims, during: optimisticWrite)
  }

  /// Writes the document of an item whose attributes name another record than the document does.
  ///
  /// An item that holds another record by now stays as it is.
  func rewrite(
    _ path: ObjectPath, of key: RecordKey, _ change: (inout CacheDocument) -> Void
  ) async throws {
    guard let stored = try await client.secrets(of: [path])[path]?.document, stored.metadata.record == key
    else { return }
    let (_, action) = try RecordChange.apply(
      { stored in
        guard var document = stored else { return }
        change(&document)
        stored = document
      }, to: stored, key: key)
    guard case .write(let document) = action else { return }
    let secret = try Self.secret(of: document)
    try await signalingChange(try VersionFile(of: key, in: group)) {
      try await client.setSecret(secret, of: path)
    }
  }

  private static func secret(of document: CacheDocument) throws -> Secret {
    var json = document.serialized()
    var escaped = JSONBraces.escaped(json)
    json.wipe()
    let secret = Secret(wiping: &escaped)
    // What is escaped is longer than the document.
    guard secret.count <= CacheDocument.maximumBytes else { throw CacheDocument.tooLarge }
    return secret
  }

  /// Creates a record's item and remembers its path.
  private func make(
    _ document: CacheDocument, _ key: RecordKey, _ secret: Secret, in claims: GroupClaims?,
    during optimisticWrite: OptimisticWrite?
  ) async throws -> ObjectPath {
    let made: ObjectPath
    do {
      made = try await create(key, document, secret, in: claims, during: optimisticWrite)
    } catch let error as BusError where claims != nil && error.meaning == .noSuchObject {
      made = try await create(key, document, secret, in: nil, during: optimisticWrite)
    }
    let now = self.generation(on: try await client.connection())
    known.withLock { $0.remember(made, for: key, in: now) }
    return made
  }

  /// Gives a document a revision above those of the copies of its item, which would count instead.
  ///
  /// The path of the item may have been known for a while, and another program have copied the item since. A copy with
  /// the highest revision that there is goes.
  ///
  /// - Parameter found: The items with the record's attributes.
  func raiseRevision(
    of document: inout CacheDocument, above found: Set<ObjectPath>, besides item: StoredItem, _ key: RecordKey
  ) async throws {
    guard found != [item.path] else { return }
    let copies = try await copies(of: key).filter { $0 != item.path }
    for (path, secret) in try await client.secrets(of: copies) {
      guard let metadata = secret.document?.metadata, metadata.record == key else { continue }
      if metadata.revision == DocumentMetadata.highestRevision {
        try await recycled.delete(path)
      } else if metadata.revision >= document.metadata.revision {
        document.metadata.revision = metadata.revision + 1
      }
    }
  }

  /// Returns whether an item that was written to belongs to the record.
  ///
  /// The item may have been deleted right before the write, and its path given to another record's item. That item's
  /// content is lost. It is emptied, so that no app reports it as damaged.
  func holds(
    _ path: ObjectPath, _ key: RecordKey, during optimisticWrite: OptimisticWrite? = nil
  ) async throws -> Bool {
    if try await client.attributes(of: path).contains(ItemAttributes.identifying(key, in: group)) {
      return true
    }
    if try await client.secrets(of: [path])[path]?.document?.metadata.record == key {
      try await client.setSecret(Secret([]), of: path, during: optimisticWrite)
    }
    return false
  }

  /// Creates a record's item, and the group when there is none.
  private func create(
    _ key: RecordKey, _ document: CacheDocument, _ secret: Secret, in claims: GroupClaims?,
    during optimisticWrite: OptimisticWrite?
  ) async throws -> ObjectPath {
    let creator = GroupCreator(client: client, group: group, policy: placement)
    let collection: ObjectPath
    let finder = GroupFinder(client: client, group: group)
    if let claims, let location = try await finder.provenLocation(of: claims) {
      collection = location.collection
    } else {
      // Creating a group has a lease of its own.
      collection = try await creator.findOrMake().location.collection
    }
    let label = document.secretLabel ?? ItemAttributes.label(key, in: group)
    let attributes = ItemAttributes.all(key, in: group)
    if try await !client.traits().deletesWithoutDialog,
      let item = try await recycled.reuse(
        in: collection, label: label, attributes: attributes, schema: ItemAttributes.schema, secret: secret,
        during: optimisticWrite)
    {
      return item
    }
    return try await client.createItem(
      in: collection, label: label, attributes: attributes, schema: ItemAttributes.schema, secret: secret,
      during: optimisticWrite)
  }

  var recycled: RecycledItems { RecycledItems(client: client, group: group) }

  /// Changes the label that the user sees on a record's item.
  func setLabel(_ label: String?, _ key: RecordKey) async throws {
    let generation = self.generation(on: try await client.connection())
    var path = known.withLock { $0.path(of: key, in: generation) }
    if path == nil { path = try await current(key).item?.path }
    guard let path else { return }
    try await client.setLabel(label ?? ItemAttributes.label(key, in: group), of: path)
  }

  /// Deletes every copy of a record, but no other program's item.
  ///
  /// The time limit is each copy's.
  func delete(_ key: RecordKey, during optimisticWrite: OptimisticWrite? = nil) async throws {
    known.withLock { $0.forget(key) }
    for path in try await copies(of: key) {
      try await recycled.delete(path, during: optimisticWrite)
      Deadline.restart()
    }
  }

  /// Deletes the copies of a record besides the one that counts, after a sign-out has removed tokens from that one.
  ///
  /// An interrupted move leaves copies, and another program can make them. Each holds the tokens of its time.
  ///
  /// - Parameter written: The item that the sign-out has written; `nil` for the one that a search finds to count.
  func deleteOlderCopies(of key: RecordKey, besides written: ObjectPath? = nil) async throws {
    let copies = try await copies(of: key)
    var counting = written
    if counting == nil, copies.count > 1 {
      known.withLock { $0.forget(key) }
      counting = try await current(key).item?.path
    }
    guard let counting else { return }
    for path in copies where path != counting {
      try await recycled.delete(path)
      Deadline.restart()
    }
  }

  /// Returns every unlocked copy of a record, without other programs' items.
  ///
  /// A sign-in with the attributes of an app's secret is none of the secret, nor is a secret with those of a sign-in.
  /// In a collection that may not hold the group's records, no other record with these attributes is one either.
  private func copies(of key: RecordKey) async throws -> [ObjectPath] {
    let finder = GroupFinder(client: client, group: group)
    let found = try await finder.search(ItemAttributes.identifying(key, in: group)).unlocked
    let attributes = try await client.attributes(of: found)
    let foreign = try await client.foreign(among: attributes)
    let records = try await client.secrets(of: found).compactMapValues { $0.document?.metadata.record }
    let standings = try await GroupProof(client: client, group: group)
      .standings(of: Set(records.filter { $0.value != key }.map(\.key.parent)))
    return found.filter { path in
      let record = records[path]
      // What was read as the record is a copy of it, whatever else its attributes are.
      if record == key { return !foreign.contains(path) }
      guard attributes[path].map({ ItemAttributes.key($0) == key }) ?? true else { return false }
      if let record, (record.kind == .secret) != (key.kind == .secret) || standings[path.parent] != .proven {
        return false
      }
      return !foreign.contains(path)
    }
  }
}

extension CacheDocument {
  /// Returns whether a sign-out has removed tokens, which other copies of the record may still hold.
  func makesCopiesObsolete(_ kind: RecordKind, over stored: CacheDocument?) -> Bool {
    isWithoutTokens(kind) || metadata.removalCount != stored?.metadata.removalCount ?? 0
  }

  /// Whether the document is what a sign-out has left of a record.
  private func isWithoutTokens(_ kind: RecordKind) -> Bool {
    switch kind {
    case .credentials, .family: !hasTokens
    case .legacy: adalToken?.kind == nil
    case .client: metadata.signOutNumber > 0 && !hasTokens
    case .groupData: metadata.signOutNumber > 0
    default: false
    }
  }
}
