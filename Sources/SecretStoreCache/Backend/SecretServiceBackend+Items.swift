// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Mapping the items that a search found to records.
///
/// A document names its record. The item's attributes decide for any other content, and where several documents name
/// the same record.
extension SecretServiceBackend {
  /// An item that a search found, before its record is certain.
  private struct Found {
    let path: ObjectPath
    /// The attributes of the search that found it.
    let attributes: [String: String]
    let secret: Secret
    /// The item as the record that its document names; `nil` when the document names none, or one that the search
    /// attributes exclude.
    let claim: StoredItem?
  }

  /// Returns the item of each record that counts among unlocked items, and one item without content.
  ///
  /// That is the newest one in the group's own collection, else the newest one in a collection that the group may
  /// share. A copy in a collection that is not the group's counts only where there is no other copy and it can be read,
  /// because any program can make one. So can it in the login collection: one that can't be read doesn't count there
  /// while the group's own collection is another.
  ///
  /// - Parameter unlocked: The item paths, each with the attributes of the search that found it.
  func items(
    _ unlocked: [ObjectPath: [String: String]], _ secrets: [ObjectPath: Secret]
  ) async throws -> (items: [RecordKey: StoredItem], blank: ObjectPath?) {
    var blanks: [ObjectPath] = []
    var copies: [RecordKey: [StoredItem]] = [:]
    var unclear: [Found] = []
    var claims: [RecordKey: [Found]] = [:]
    for (path, attributes) in unlocked {
      guard let secret = secrets[path] else { continue }
      guard !secret.isEmpty else {
        blanks.append(path)
        continue
      }
      let found = Found(
        path: path, attributes: attributes, secret: secret, claim: claim(at: path, secret, attributes))
      if let key = found.claim?.record.key {
        claims[key, default: []].append(found)
      } else {
        unclear.append(found)
      }
    }
    for (key, found) in claims {
      let isExact = found.allSatisfy { $0.attributes == ItemAttributes.identifying(key, in: group) }
      if found.count == 1 || isExact {
        copies[key, default: []] += found.compactMap(\.claim)
      } else {
        // Several items name the same record: a document may have been copied to an item with another record's
        // attributes.
        unclear += found
      }
    }
    let own = try await client.attributes(of: unclear.map(\.path) + blanks)
    let keepsSchemas = try await client.traits().keepsSchemas
    func isForeign(_ attributes: [String: String], _ content: Secret?) -> Bool {
      ItemAttributes.isForeign(attributes, content, keepsSchemas: keepsSchemas)
    }
    for found in unclear {
      var attributes = own[found.path]
      if attributes == nil {
        // The item may be gone, as the old copy of a moved record is.
        if found.claim != nil { continue }
        do {
          attributes = try await client.attributes(of: found.path)
        } catch let error as BusError where error.meaning == .noSuchObject {
          continue
        }
      }
      if let attributes, isForeign(attributes, found.secret) { continue }
      let item = Self.item(found, attributes.flatMap(ItemAttributes.key))
      copies[item.record.key, default: []].append(item)
    }
    let standings = try await standings(of: copies.values)
    let items = copies.compactMapValues { copies in
      let counted = standings.counted(
        copies.filter { isReadable($0) || standings.mayHoldDamaged($0.path.parent) }, at: \.path)
      let own = counted.filter { $0.path.parent == standings.home && isReadable($0) }
      return (own.isEmpty ? counted : own).max { $1.isNewer(than: $0) }
    }
    let blank = blanks.first { path in
      guard let attributes = own[path], !isForeign(attributes, nil) else { return false }
      return ItemAttributes.key(attributes).map { ItemAttributes.identifying($0, in: group) }
        == unlocked[path]
    }
    return (items, blank)
  }

  /// Returns the standings of the collections of the records that are in several or can't be read; asks nothing where
  /// there is no such record.
  private func standings(
    of copies: some Collection<[StoredItem]>
  ) async throws -> CollectionStandings {
    let doubtful = copies.filter { copies in
      Set(copies.map(\.path.parent)).count > 1 || !copies.allSatisfy(isReadable)
    }
    let proof = GroupProof(client: client, group: group)
    var standings = try await proof.standings(of: Set(doubtful.flatMap { $0.map(\.path.parent) }))
    let isDamaged = doubtful.contains { !$0.allSatisfy(isReadable) }
    if isDamaged || standings.hasSeveralProven { standings.home = try await proof.home()?.collection }
    return standings
  }

  private func isReadable(_ item: StoredItem) -> Bool { DamagedRecord(item.record) == nil }

  private func claim(
    at path: ObjectPath, _ secret: Secret, _ attributes: [String: String]
  ) -> StoredItem? {
    guard let document = secret.document, let key = document.metadata.record,
      ItemAttributes.all(key, in: group).contains(attributes), document.holdsSecret(of: key)
    else { return nil }
    return StoredItem(
      path: path, record: Record(key: key, document: document), revision: document.metadata.revision)
  }

  /// Returns an item as the record that its own attributes name, whatever its document says.
  private static func item(_ found: Found, _ own: RecordKey?) -> StoredItem {
    if let claim = found.claim, claim.record.key == own { return claim }
    let key = own ?? RecordKey(kind: .groupData)
    return StoredItem(
      path: found.path, record: found.secret.read { Record(key: key, bytes: $0) }, revision: -1)
  }
}
