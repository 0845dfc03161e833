// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

/// All that the Secret Service holds of one group, as the checks look at it.
struct GroupInventory: Sendable {
  /// One item.
  struct Item: Sendable {
    let path: ObjectPath
    let attributes: [String: String]
    /// What it holds; empty when nothing is stored, `nil` when it can't be read.
    let bytes: Secret?

    var key: RecordKey? { ItemAttributes.key(attributes) }

    /// The record; `nil` for an item without one.
    var record: Record? {
      guard let key, let bytes, !bytes.isEmpty else { return nil }
      return bytes.read { Record(key: key, bytes: $0) }
    }

    var document: CacheDocument? { try? record?.document() }
  }

  let group: AccessGroup
  /// Where the group is by its marker; `nil` when no marker says.
  var place: GroupLocation?
  /// Every item of the group, in whatever collection, its marker and passwords among them; sorted by path.
  var items: [Item] = []
  /// The collections that bear the group's name, though no marker says that they are its.
  var namesakes: [ObjectPath] = []
  /// The collections that other programs use, too: the login and the default one.
  var common: [ObjectPath] = []
  /// The collections whose password, which a person chose, gnome-keyring itself remembers.
  var remembered: Set<ObjectPath> = []
  /// Whether the provider opens collections by passwords in the login collection.
  var usesKeys = true

  func items(_ kind: RecordKind) -> [Item] { items.filter { $0.key?.kind == kind } }

  /// What is the group's but for its marker and its password.
  var records: [Item] {
    items.filter { item in item.key.map { $0.kind != .group && $0.kind != .groupKey } ?? false }
  }

  /// Every collection that holds records or a marker of the group, sorted.
  var collections: [ObjectPath] {
    Set((records + items(.group)).map(\.path.parent)).sorted { $0.text < $1.text }
  }

  /// The passwords of a collection.
  func keys(of collection: ObjectPath) -> [Item] {
    items(.groupKey).filter { item in
      GnomeKeyringFile(attribute: item.attributes[ItemAttributes.keyring])?.collection == collection
        && item.bytes?.isEmpty == false
    }
  }

  /// Whether there is anything of the group.
  var isEmpty: Bool { items.isEmpty && namesakes.isEmpty }

  /// When the youngest token was stored.
  var newest: Date? {
    records.flatMap { $0.document?.credentials ?? [] }.compactMap(\.cachedAt).max()
  }
}
