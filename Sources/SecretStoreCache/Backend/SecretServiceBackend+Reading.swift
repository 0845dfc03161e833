// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension SecretServiceBackend {
  /// Searches for items with any of several sets of attributes.
  ///
  /// - Parameters:
  ///   - withMarkers: Whether to search for the group's markers as well.
  ///   - others: Locked collections whose items are left out, because they are not the group's.
  private func search(
    _ searches: [[String: String]], withMarkers: Bool, leavingOut others: Set<ObjectPath> = []
  ) async throws -> SearchResult {
    if withMarkers, let result = try await searchWithKnownMarker(searches) { return result }
    let marker = GroupFinder(client: client, group: group).markerAttributes
    let replies = try await client.read(searches + (withMarkers ? [marker] : []))
    var result = SearchResult(secrets: replies.secrets)
    if withMarkers, let markers = replies.found.last {
      result.markers = markers.unlocked
      result.hasLockedMarker = !markers.locked.isEmpty
    }
    result.add(replies.found, of: searches)
    result.locked = result.locked.filter { !others.contains($0.parent) }
    return result
  }

  /// Searches, and reads the group's only marker by its known path in the same round trip.
  ///
  /// - Returns: `nil` when the marker's path is not known or not valid any more: search for it.
  private func searchWithKnownMarker(_ searches: [[String: String]]) async throws -> SearchResult? {
    let handle = try await client.connection()
    let generation = self.generation(on: handle)
    guard handle.traits.searchFindsLocked,
      let marker = known.withLock({ $0.path(of: GroupFinder.markerKey, in: generation) })
    else { return nil }
    let replies = try await client.read(searches, with: [marker])
    guard let secret = replies.secrets?[marker], (try? GroupMarker(parsing: secret, of: group)) != nil else {
      known.withLock { $0.forget(GroupFinder.markerKey) }
      return nil
    }
    var result = SearchResult(secrets: replies.secrets, markers: [marker])
    result.add(replies.found, of: searches)
    return result
  }

  /// Returns the newest item of each record that the searches find.
  ///
  /// An item with an empty secret belongs to no record. The record that is searched for can take it over.
  ///
  /// - Parameters:
  ///   - opens: Whether to unlock locked collections, without a prompt.
  ///   - readsWriters: Whether to find out which apps without shared locks write the group.
  func stored(
    _ searches: [[String: String]], opening opens: Bool = true, readingWriters readsWriters: Bool = false
  ) async throws -> StoredItems {
    var claims: GroupClaims?
    var others: Set<ObjectPath> = []
    let generation = self.generation(on: try await client.connection())
    var found = try await search(searches, withMarkers: readsWriters)
    if !found.isIncomplete, found.unlocked.isEmpty, found.locked.isEmpty,
      let known = try await marked(found, generation)
    {
      return StoredItems(claims: known.claims, writers: known.writers)
    }
    if found.isIncomplete || found.unlocked.isEmpty {
      // Everything is locked, hidden or absent. Only the group's marker can tell which.
      let finder = GroupFinder(client: client, group: group)
      let all = try await finder.claims(opening: opens)
      claims = all
      if !found.locked.isEmpty || found.isIncomplete && found.unlocked.isEmpty {
        // This call or another app may have unlocked it in the meantime.
        found = try await search(searches, withMarkers: readsWriters)
        if opens && !found.locked.isEmpty {
          others = try await finder.open(Array(Set(found.locked.map(\.parent))), beside: all)
          found = try await search(searches, withMarkers: readsWriters, leavingOut: others)
        }
      } else if !all.isGroup {
        return StoredItems()
      }
      guard found.locked.isEmpty else {
        throw SecretStoreError(.groupLocked, "Items of the access group \(group) are locked.")
      }
    }
    let secrets = try await secrets(of: &found, searches, leavingOut: others)
    let writers = writers(in: found, secrets, generation)
    let (items, blank) = try await items(found.unlocked, secrets)
    // A document in a search result names its own record, which is enough for reading only. A path is remembered, and
    // so used for writing, only when the search had every attribute that the record has.
    known.withLock { known in
      for (key, item) in items where found.unlocked[item.path] == ItemAttributes.identifying(key, in: group) {
        known.remember(item.path, for: key, in: generation)
      }
    }
    return StoredItems(
      items: items, found: Set(found.unlocked.keys), blank: blank, claims: claims, writers: writers)
  }

  /// Returns what the group's only marker says, when the searches found no other item of the group.
  private func marked(
    _ found: SearchResult, _ generation: KnownPaths.CacheGeneration
  ) async throws -> (claims: GroupClaims, writers: UnsharedLockWriters)? {
    guard let path = found.markers?.first, found.markers?.count == 1, !found.hasLockedMarker else {
      return nil
    }
    let secrets = try await client.secrets(of: [path], obtained: found.secrets)
    guard let secret = secrets[path], !secret.isEmpty,
      let marker = try? GroupMarker(parsing: secret, of: group)
    else { return nil }
    known.withLock { $0.remember(path, for: GroupFinder.markerKey, in: generation) }
    let location = GroupLocation(collection: path.parent, placement: marker.placement)
    return (GroupClaims(locations: [location]), marker.unsharedLockWriters)
  }

  /// Returns which apps without shared locks write the group, according to its markers.
  ///
  /// Remembers the path of an only marker, so that the next call reads it together with a known record.
  private func writers(
    in found: SearchResult, _ secrets: [ObjectPath: Secret], _ generation: KnownPaths.CacheGeneration
  ) -> UnsharedLockWriters {
    let markers = found.markers ?? []
    if let path = markers.first, markers.count == 1, !found.hasLockedMarker {
      known.withLock { $0.remember(path, for: GroupFinder.markerKey, in: generation) }
    }
    return markers.reduce(UnsharedLockWriters()) { writers, path in
      guard let secret = secrets[path], let marker = try? GroupMarker(parsing: secret) else { return writers }
      return writers.merged(with: marker.unsharedLockWriters)
    }
  }

  /// Returns the secrets of the found items.
  ///
  /// An item without a secret may have been moved. A move creates the copy before it deletes the original, so another
  /// search finds the copy. What was read before counts: a long move would else take another item from each reading.
  private func secrets(
    of found: inout SearchResult, _ searches: [[String: String]], leavingOut others: Set<ObjectPath>
  ) async throws -> [ObjectPath: Secret] {
    var secrets = try await client.secrets(of: found.all, obtained: found.secrets)
    for _ in 1..<Self.readings where !found.all.allSatisfy({ secrets[$0] != nil }) {
      found = try await search(searches, withMarkers: found.markers != nil, leavingOut: others)
      guard found.locked.isEmpty else { throw SecretServiceClient.locked }
      let known = secrets
      let obtained = found.secrets.map { known.merging($0) { $1 } }
      secrets = try await client.secrets(of: found.all, obtained: obtained).merging(known) { read, _ in read }
    }
    return secrets
  }

  /// How often the found items are read at most, until none of them is gone.
  private static let readings = 4

  /// Reads the record as it is stored now: by its item's path when that is known, otherwise by a search.
  func current(_ key: RecordKey) async throws -> (item: StoredItem?, claims: GroupClaims?) {
    let generation = self.generation(on: try await client.connection())
    if let path = known.withLock({ $0.path(of: key, in: generation) }) {
      if let item = StoredItem(path, of: key, in: try await contents(of: [path])) { return (item, nil) }
      known.withLock { $0.forget(key) }
    }
    let stored = try await searched(key, generation, readingWriters: false)
    return (stored.items[key], stored.claims)
  }

  /// Reads the record as it is stored now, before it is changed, with what a change depends on.
  ///
  /// This is one round trip for the caller when the paths of its item and of the group's marker are known.
  func changeable(_ key: RecordKey) async throws -> ChangeableRecord {
    let generation = self.generation(on: try await client.connection())
    var (path, marker) = known.withLock {
      ($0.path(of: key, in: generation), $0.path(of: GroupFinder.markerKey, in: generation))
    }
    if path != nil, marker == nil { marker = try await onlyMarker(generation) }
    if let path, let marker {
      let replies = try await client.read([ItemAttributes.identifying(key, in: group)], with: [path, marker])
      var secrets = replies.secrets
      if secrets == nil { secrets = try await contents(of: [path, marker]) }
      if let secrets, let item = StoredItem(path, of: key, in: secrets),
        let said = secrets[marker].flatMap({ try? GroupMarker(parsing: $0, of: group) })
      {
        return ChangeableRecord(
          item: item, copies: Set(replies.found.flatMap(\.unlocked)), writers: said.unsharedLockWriters)
      }
      known.withLock {
        $0.forget(key)
        $0.forget(GroupFinder.markerKey)
      }
    }
    let stored = try await searched(key, generation, readingWriters: true)
    return ChangeableRecord(
      item: stored.items[key], copies: stored.found, claims: stored.claims, writers: stored.writers)
  }

  private func searched(
    _ key: RecordKey, _ generation: KnownPaths.CacheGeneration, readingWriters readsWriters: Bool
  ) async throws -> StoredItems {
    let stored = try await stored([ItemAttributes.identifying(key, in: group)], readingWriters: readsWriters)
    if stored.items[key] == nil, let blank = stored.blank {
      known.withLock { $0.remember(blank, for: key, in: generation) }
    }
    return stored
  }

  /// Returns and remembers the path of the group's only marker; `nil` when there are several, or none that is unlocked.
  private func onlyMarker(_ generation: KnownPaths.CacheGeneration) async throws -> ObjectPath? {
    let found = try await client.search(GroupFinder(client: client, group: group).markerAttributes)
    guard let path = found.unlocked.first, found.unlocked.count == 1, found.locked.isEmpty else { return nil }
    known.withLock { $0.remember(path, for: GroupFinder.markerKey, in: generation) }
    return path
  }

  /// Returns which apps without shared locks write the group, before a removal: by the marker alone when its path is
  /// known.
  func writers(beside key: RecordKey) async throws -> UnsharedLockWriters {
    let generation = self.generation(on: try await client.connection())
    if let path = known.withLock({ $0.path(of: GroupFinder.markerKey, in: generation) }) {
      let secret = try await contents(of: [path])[path]
      if let marker = secret.flatMap({ try? GroupMarker(parsing: $0, of: group) }) {
        return marker.unsharedLockWriters
      }
    }
    return try await changeable(key).writers
  }

  /// Returns the secrets of known items, without items that are gone or locked.
  ///
  /// A search handles those.
  private func contents(of paths: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    do {
      return try await client.secrets(of: paths)
    } catch SecretStoreError.Code.groupLocked {
      return [:]
    }
  }
}
