// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import TokenCacheModel

/// A group's records in the freedesktop Secret Service, one item for each.
///
/// Made by ``SecretStore``. Reads search the whole service, so that a record is found wherever the group is
/// placed; the group is made with the first write. Every call ends within the store's `timeout` and none ever
/// prompts.
public final class SecretServiceBackend: TokenCacheBackend {
  /// The group whose records these are.
  public let group: AccessGroup

  let client: SecretServiceClient
  let options: SecretStoreOptions
  private let known = Locked(KnownPaths())

  init(group: AccessGroup, client: SecretServiceClient, options: SecretStoreOptions) {
    self.group = group
    self.client = client
    self.options = options
  }

  /// Reads the records that a query asks for, in two round trips however many there are.
  public func records(matching query: RecordQuery) async throws -> [Record] {
    try await records(matchingAny: [query])
  }

  /// Reads the records that any of several queries asks for: one search for each, and all secrets in one round trip.
  public func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    try await guarded {
      let searches = queries.map { ItemAttributes.matching($0, in: self.group) }
      return try await self.reopening { try await self.stored(searches) }.items.values.compactMap { item in
        queries.contains { $0.matches(item.record.key) } ? item.record : nil
      }
    }
  }

  /// Reads one record: in two round trips the first time, in one when its item is known.
  public func record(for key: RecordKey) async throws -> Record? {
    try await guarded { try await self.reopening { try await self.current(key) }.item?.record }
  }

  /// Changes one record under its write lock: one write, of the whole document.
  public func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    try await guarded {
      try await self.writeLock(key).run {
        let (item, place) = try await self.reopening { try await self.current(key) }
        let (outcome, action) = try RecordChange.apply(
          change, to: try item?.record.document(), key: key)
        switch action {
        case .nothing: break
        case .write(let document):
          try await self.reopening { try await self.write(document, key, at: place) }
          let label = document.secretLabel
          if item != nil, label != (try? item?.record.document().secretLabel) {
            try await self.setLabel(label, key)
          }
        case .remove: try await self.reopening { try await self.delete(key) }
        }
        return outcome
      }
    }
  }

  /// Removes one record, whatever it holds.
  public func remove(_ key: RecordKey) async throws {
    try await guarded {
      try await self.writeLock(key).run { try await self.reopening { try await self.delete(key) } }
    }
  }

  /// Runs `body` while no other user of this library runs one for the same key, or after the store's
  /// `leasePatience`.
  public func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    let hold = try await lock("refresh", key).acquire(patience: options.leasePatience)
    defer { withExtendedLifetime(hold) {} }
    return try await body()
  }

  // MARK: Locks and deadlines

  private func writeLock(_ key: RecordKey) -> FileLock { lock("write", key) }

  private func lock(_ purpose: String, _ key: RecordKey) -> FileLock {
    let parts =
      [group.publisher?.name ?? "", group.name]
      + ItemAttributes.all(key, in: group).sorted { $0.key < $1.key }.map(\.value)
    return FileLock(name: "\(purpose)-\(Digest.hex(parts.joined(separator: "\n")))")
  }

  /// Runs a public call: with its deadline, and with D-Bus errors made errors of the library.
  private func guarded<Outcome>(_ body: () async throws -> Outcome) async throws -> Outcome {
    try await Deadline.run(within: options.timeout) {
      do {
        return try await body()
      } catch let error as BusError {
        throw error.storeError
      }
    }
  }

  /// Runs a step, and again when somebody locked the group in the middle of it and it opens without a word.
  private func reopening<Outcome>(_ step: () async throws -> Outcome) async throws -> Outcome {
    var attempts = 5
    while true {
      do {
        return try await step()
      } catch {
        attempts -= 1
        guard attempts > 0, error.meansLocked,
          try await GroupFinder(client: client, group: group).find() != nil
        else { throw error }
      }
    }
  }

  // MARK: Reading

  /// One item as it was read.
  private struct StoredItem: Sendable {
    let path: ObjectPath
    let record: Record
    let revision: Int
  }

  /// What a search found.
  private struct StoredItems {
    var items: [RecordKey: StoredItem] = [:]
    /// An item without content.
    var blank: ObjectPath?
    /// Where the group is, when that had to be found out.
    var place: GroupLocation?
  }

  /// What searches find: the open items with the attributes that each was found by.
  private struct SearchResult {
    var unlocked: [ObjectPath: [String: String]] = [:]
    var locked: Set<ObjectPath> = []
    var isIncomplete = false
  }

  private func search(_ searches: [[String: String]]) async throws -> SearchResult {
    var result = SearchResult()
    for attributes in searches {
      let found = try await client.search(attributes)
      for path in found.unlocked { result.unlocked[path] = attributes }
      result.locked.formUnion(found.locked)
      if found.isIncomplete { result.isIncomplete = true }
    }
    return result
  }

  /// The newest item of each record that searches find.
  ///
  /// An item without a secret is no record's, and can become the one's that is searched for.
  private func stored(_ searches: [[String: String]]) async throws -> StoredItems {
    var place: GroupLocation?
    var found = try await search(searches)
    if found.isIncomplete || found.unlocked.isEmpty {
      // Locked, hidden or nothing: only the group's marker can tell what that means.
      let finder = GroupFinder(client: client, group: group)
      place = try await finder.find()
      if !found.locked.isEmpty {
        found = try await search(searches)
        for collection in Set(found.locked.map(\.parent)) { try await finder.unlock(collection) }
        if !found.locked.isEmpty { found = try await search(searches) }
      } else if place == nil {
        return StoredItems()
      }
      guard found.locked.isEmpty else {
        throw SecretStoreError(.groupLocked, "Items of the access group \(group) are locked.")
      }
    }
    let connection = try await client.connection()
    let secrets = try await client.secrets(of: Array(found.unlocked.keys))
    var items: [RecordKey: StoredItem] = [:]
    var blank: ObjectPath?
    for (path, attributes) in found.unlocked {
      guard let bytes = secrets[path] else { continue }
      guard !bytes.isEmpty else {
        blank = path
        continue
      }
      let item = try await item(at: path, bytes, searchedBy: attributes)
      if let other = items[item.record.key], !Self.isNewer(item, than: other) { continue }
      items[item.record.key] = item
    }
    // A list's documents say themselves which records they are, and are believed for reading only: an item is
    // remembered, and so written to, when it was found by all of its record's attributes.
    known.withLock { known in
      for (key, item) in items where found.unlocked[item.path] == ItemAttributes.all(key, in: group) {
        known.remember(item.path, for: key, on: connection)
      }
    }
    return StoredItems(items: items, blank: blank, place: place)
  }

  /// Of two copies the higher revision counts.
  private static func isNewer(_ item: StoredItem, than other: StoredItem) -> Bool {
    item.revision == other.revision ? item.path.text < other.path.text : item.revision > other.revision
  }

  /// Reads an item.
  ///
  /// A document says which record it is; for any other content the attributes have to.
  private func item(
    at path: ObjectPath, _ bytes: [UInt8], searchedBy attributes: [String: String]
  ) async throws -> StoredItem {
    let document: CacheDocument?
    do throws(SecretStoreError) { document = try CacheDocument(parsing: bytes) } catch { document = nil }
    if let document, let key = document.sharing.record,
      ItemAttributes.all(key, in: group).contains(attributes)
    {
      return StoredItem(
        path: path, record: Record(key: key, document: document), revision: document.sharing.revision)
    }
    let own = try await client.attributes(of: path)
    let key = ItemAttributes.key(own) ?? RecordKey(kind: .groupData)
    return StoredItem(path: path, record: Record(key: key, bytes: bytes), revision: -1)
  }

  /// The record as it is now: by its item's path when that is known, else by a search.
  private func current(_ key: RecordKey) async throws -> (item: StoredItem?, place: GroupLocation?) {
    let connection = try await client.connection()
    if let path = known.withLock({ $0.path(of: key, on: connection) }) {
      let bytes = try await content(of: path)
      if !bytes.isEmpty, let document = try? CacheDocument(parsing: bytes), document.sharing.record == key {
        let item = StoredItem(
          path: path, record: Record(key: key, document: document), revision: document.sharing.revision)
        return (item, nil)
      }
      known.withLock { $0.forget(key) }
    }
    let stored = try await stored([ItemAttributes.all(key, in: group)])
    if stored.items[key] == nil, let blank = stored.blank {
      known.withLock { $0.remember(blank, for: key, on: connection) }
    }
    return (stored.items[key], stored.place)
  }

  /// What a known item holds; nothing when it is gone or locked, which a search can do something about.
  private func content(of path: ObjectPath) async throws -> [UInt8] {
    do {
      return try await client.secrets(of: [path])[path] ?? []
    } catch let error as SecretStoreError where error.code == .groupLocked {
      return []
    }
  }

  // MARK: Writing

  private static let maximumBytes = 16_000_000

  /// - Parameter place: Where the group is, when the read before had to find that out.
  private func write(_ document: CacheDocument, _ key: RecordKey, at place: GroupLocation?) async throws {
    let bytes = QuotedBraces.escaped(document.serialized())
    guard bytes.count <= Self.maximumBytes else {
      throw SecretStoreError(.storageFailed, "The record is larger than \(Self.maximumBytes) bytes.")
    }
    let connection = try await client.connection()
    if let path = known.withLock({ $0.path(of: key, on: connection) }) {
      do {
        return try await client.setSecret(bytes, of: path)
      } catch let error as BusError where error.meaning == .noSuchObject {
        known.withLock { $0.forget(key) }
      }
    }
    let path: ObjectPath
    do {
      path = try await create(key, document, bytes, in: place)
    } catch let error as BusError where place != nil && error.meaning == .noSuchObject {
      path = try await create(key, document, bytes, in: nil)
    }
    let current = try await client.connection()
    known.withLock { $0.remember(path, for: key, on: current) }
  }

  /// Makes a record's item, and the group when there is none.
  private func create(
    _ key: RecordKey, _ document: CacheDocument, _ secret: [UInt8], in place: GroupLocation?
  ) async throws -> ObjectPath {
    let maker = GroupMaker(client: client, group: group, policy: options.placement)
    let collection = if let place { place.collection } else { try await maker.findOrMake().collection }
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
  private func setLabel(_ label: String?, _ key: RecordKey) async throws {
    let connection = try await client.connection()
    guard let path = known.withLock({ $0.path(of: key, on: connection) }) else { return }
    try await client.setLabel(label ?? ItemAttributes.label(key, in: group), of: path)
  }

  /// Deletes every copy of a record.
  private func delete(_ key: RecordKey) async throws {
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
    for path in found.unlocked where try await !client.deleteItem(path) { try await retired.retire(path) }
  }
}
