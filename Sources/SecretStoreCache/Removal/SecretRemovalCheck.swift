// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Looks for what a removal has left of an app's secret: copies that can't be read, those that were set aside, and
/// items that a list shows as the secret although their attributes or their document name another record.
struct SecretRemovalCheck: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let secret: RecordKey

  /// Returns the items in locked collections.
  ///
  /// The attributes of an item are digests while its collection has not been unlocked since the daemon started. Then a
  /// secret is looked for in lower case and in capitals only.
  ///
  /// - Parameter withoutOwner: The items with the group's name that a search for its items doesn't find.
  func locked(with withoutOwner: ItemsWithoutOwner) async throws -> Set<ObjectPath> {
    func locked(_ attributes: [String: String]) async throws -> Set<ObjectPath> {
      try await withoutOwner.locked(matching: attributes, client)
        .union(client.search(attributes).locked)
    }
    var found: Set<ObjectPath> = []
    for key in [secret, RecordKey(kind: .secret, key: secret.key.uppercased())] {
      try await found.formUnion(locked(ItemAttributes.identifying(key, in: group)))
    }
    // An item that was set aside names its secret at the end of its key only, which may be a digest.
    for kind in [RecordKind.secret, .damaged] {
      let items = try await locked(ItemAttributes.matching(.all(kind), in: group))
      let keys = try await client.attributes(of: Array(items)).mapValues(ItemAttributes.key)
      found.formUnion(items.filter { keys[$0].flatMap(\.self).map(names) ?? (kind == .damaged) })
    }
    return found
  }

  struct Found: Sendable {
    /// The items to delete.
    var items: [ObjectPath] = []
    /// Other programs' items that lists show.
    var listed: Set<ObjectPath> = []
    /// The records of items that can't be read and name no secret; they may be copies.
    var unattributed: [RecordKey] = []
    /// The secret's items without a publisher that may be of another publisher's group of that name.
    var withoutOwner: Set<ObjectPath> = []
  }

  /// Returns what is in unlocked collections.
  ///
  /// - Parameter withoutOwner: As for ``locked(with:)``.
  func unlocked(with withoutOwner: ItemsWithoutOwner) async throws -> Found {
    let paths = try await client.search(ItemAttributes.owner(group)).unlocked
    let attributes = try await client.attributes(of: paths)
    let secrets = try await client.secrets(of: paths)
    let foreign = try await client.foreign(among: attributes)
    var others = ListedForeignItems()
    for path in foreign {
      guard let document = secrets[path]?.document, let record = document.metadata.record,
        isListed(document, of: record)
      else { continue }
      others.add(path, attributes[path] ?? [:], record)
    }
    let items = paths.filter { path in
      guard !foreign.contains(path), let attributes = attributes[path], let content = secrets[path] else {
        return false
      }
      let key = ItemAttributes.key(attributes)
      if let document = content.document, let record = document.metadata.record {
        // A secret that was stored meanwhile can be read.
        return isListed(document, of: record) && (record != secret || key != secret)
      }
      return key == secret || !content.isEmpty && key.map(names) == true
    }
    let own = paths.filter { path in
      attributes[path].flatMap(ItemAttributes.key) == secret
        && secrets[path]?.document?.metadata.record == secret
    }
    let unattributed = paths.compactMap { path -> RecordKey? in
      guard !foreign.contains(path), let key = attributes[path].flatMap(ItemAttributes.key),
        let content = secrets[path], !content.isEmpty, content.document?.metadata.record == nil
      else { return nil }
      let record = key.originalOfSetAside ?? key
      return record.kind == .secret && record.key.isEmpty ? record : nil
    }
    return Found(
      items: items + (try await ofSecret(withoutOwner.own)),
      listed: others.listed(beside: own.isEmpty ? [] : [secret]), unattributed: unattributed,
      withoutOwner: Set(try await ofSecret(withoutOwner.others)))
  }

  /// Returns those of the items that hold the secret, or name it where they can't be read.
  private func ofSecret(_ items: [ObjectPath: [String: String]]) async throws -> [ObjectPath] {
    let secrets = try await client.secrets(of: Array(items.keys))
    return items.compactMap { path, attributes in
      guard let content = secrets[path], !content.isEmpty else { return nil }
      if let document = content.document, let record = document.metadata.record {
        return isListed(document, of: record) ? path : nil
      }
      return ItemAttributes.key(attributes).map(names) == true ? path : nil
    }
  }

  /// Returns whether a list shows a document as the secret: the name that it states is the secret's, and where it states
  /// none, its record is.
  private func isListed(_ document: CacheDocument, of record: RecordKey) -> Bool {
    record.kind == .secret && (document.secretRecord ?? record) == secret
  }

  /// Returns whether a key names the secret in any spelling, also one that was set aside.
  private func names(_ key: RecordKey) -> Bool {
    let original = key.originalOfSetAside ?? key
    return original.kind == .secret && original.key.lowercased() == secret.key
  }
}
