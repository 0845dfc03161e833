// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// Everything that the Secret Service holds of one group.
struct GroupInventory: Sendable {
  /// One item of the group.
  struct Item: Sendable {
    let path: ObjectPath
    let attributes: [String: String]
    /// The content; empty when nothing is stored, `nil` when it can't be read.
    let bytes: Secret?

    var key: RecordKey? { ItemAttributes.key(attributes) }

    /// The keyring file that a password belongs to; `nil` when the item names none.
    var keyring: GnomeKeyringFile? { GnomeKeyringFile(attribute: attributes[ItemAttributes.keyring]) }

    /// The record; `nil` for an item without one.
    var record: Record? {
      guard let key, let bytes, !bytes.isEmpty else { return nil }
      return bytes.read { Record(key: key, bytes: $0) }
    }

    var document: CacheDocument? { try? record?.document() }
  }

  let group: AccessGroup
  /// The location of the group according to its marker; `nil` when no marker identifies one.
  var location: GroupLocation?
  /// Every item of the group, including its marker and passwords, except those in collections that are another
  /// program's; sorted by path.
  var items: [Item] = []
  /// The collections that have the group's name but no item of the group, except the login and default collections.
  var namesakes: [ObjectPath] = []
  /// The collections of the group's name that a password in the login collection proves to be its own.
  ///
  /// They are determined only when no marker identifies the location. Without gnome-keyring, the name is the proof.
  var proven: [ObjectPath] = []
  /// The labels of collections that hold items of the group, but also foreign items or have another name.
  var mixed: [ObjectPath: String] = [:]
  /// The labels of the collections of other programs that hold items with the group's attributes, sorted.
  var elsewhere: [String] = []
  /// The number of records that only those collections have.
  var onlyElsewhere = 0
  /// The labels of locked collections of other programs that have items of records which the group lacks, each with their
  /// number; sorted by label.
  var onlyInLocked: [(label: String, count: Int)] = []
  /// The keyrings of the group's name that are not proven to be its own, and have records without another copy.
  var unproven: [UnprovenKeyring] = []
  /// The paths of the files of open keyrings that have the group's name and items of it, and are not encrypted.
  var plain: [String] = []
  /// The other keyrings of the group that its marker names, as far as they are there.
  var others: [OtherKeyring] = []
  /// How far the collections of the items are known to be ones that may hold the group's records.
  var standings = CollectionStandings()
  /// Those of the empty namesakes that one of the group's own passwords opens, as two apps leave them that create the group
  /// at the same time.
  var leftovers: [ObjectPath] = []
  /// The number of items in the group's own collection whose attributes another program has changed or removed, so that
  /// no app finds them or reads what they hold.
  var withoutOwner = 0
  /// Those of these items whose content names a record that no other item has, each with the record; for the group's
  /// marker, where it has lost its attributes, that is the marker's.
  ///
  /// A sign-in from before a removal of everything is not among them: the removal concerned it.
  var restorable: [ObjectPath: RecordKey] = [:]
  /// The labels of the keyrings that passwords of the group name and that are not its own, or not its own alone: it was
  /// removed from them.
  var otherKeyrings: [String] = []
  /// The group's own keyring where the daemon finds its items but can't change it, as after its file was put back.
  var unserved: KeyringDamage?
  /// The keyring files that the group has a password for and that the daemon can't read.
  var unread: [KeyringDamage] = []
  /// The collections that other programs use as well: the login and the default collection.
  var common: [ObjectPath] = []
  /// The passwords that no longer unlock their collection, as after a change in the desktop's own window.
  var wrongPasswords: Set<ObjectPath> = []
  /// Passwords of an earlier keyring of the group, or of a file that got another name, that unlock an open collection;
  /// each with its collection.
  var restoredPasswords: [ObjectPath: ObjectPath] = [:]
  /// Whether no password of the group has its attributes, and an item in the login collection that lacks some has a
  /// password's label and form.
  var hasPasswordLackingAttributes = false
  /// The login collection, which holds the passwords; `nil` when there is none.
  var login: ObjectPath?
  /// Whether the login collection is locked, so that its passwords can't be seen.
  var isLoginLocked = false
  /// The collections whose password the user chose and gnome-keyring itself remembers.
  var remembered: Set<ObjectPath> = []
  /// Whether the provider unlocks collections with passwords from the login collection.
  var usesPasswords = true
  /// The folder of gnome-keyring's files.
  var folder = ""

  func items(_ kind: RecordKind) -> [Item] { items.filter { $0.key?.kind == kind } }

  /// The items with exactly the attributes of the group's marker.
  var markerItems: [Item] { items.filter { $0.key == GroupFinder.markerKey } }

  /// The items of the group other than markers and passwords.
  var records: [Item] {
    items.filter { item in item.key.map { $0 != GroupFinder.markerKey && $0.kind != .groupKey } ?? false }
  }

  /// The items that can't be read, and those that were set aside for this reason; sorted by description.
  ///
  /// Those that only have other attributes than their record are in ``restorable``.
  var damaged: [DamagedItem] {
    items.filter { restorable[$0.path] == nil }.compactMap { item in
      DamagedItem(path: item.path, attributes: item.attributes, content: item.bytes, in: group)
    }.sorted(by: DamagedItem.isBefore)
  }

  /// The number of items whose kind this version doesn't know, or that name an account with a kind that doesn't.
  var unknownCount: Int {
    items.count { item in
      item.key == nil && restorable[item.path] == nil
        && (ItemAttributes.namesAnyAccount(item.attributes)
          || !ItemAttributes.kindsWithoutRecord.contains(item.attributes["kind"] ?? ""))
    }
  }

  /// Whether all items, including the marker, are empty.
  ///
  /// A crash does not cause this.
  var isEmptied: Bool {
    !markerItems.isEmpty && (records + markerItems).allSatisfy { $0.bytes?.isEmpty == true }
  }

  /// The collections that hold records or a marker of the group, sorted.
  var collections: [ObjectPath] {
    let stored = records.filter { $0.key?.isSetAsideMarker == false }
    return Set((stored + markers).map(\.path.parent)).sorted { $0.text < $1.text }
  }

  /// Returns the passwords of a collection that are in the login collection and have the form of generated passwords.
  ///
  /// No other password unlocks the collection at the next login. One that unlocks another collection than it names
  /// counts for that one only.
  func passwords(of collection: ObjectPath) -> [Item] {
    passwords.filter { item in
      if let restored = restoredPasswords[item.path] { return restored == collection }
      return item.keyring?.collection == collection && !wrongPasswords.contains(item.path)
    }
  }

  /// The items that may be passwords of the group's collections.
  var passwords: [Item] {
    items(.groupKey).filter {
      $0.path.parent == login && $0.bytes.map(GroupCreator.hasForm(ofPassword:)) == true
    }
  }

  /// The group's markers.
  ///
  /// Items with the attributes of a marker but other content are left out.
  var markers: [Item] {
    markerItems.filter { item in
      item.bytes.map { $0.isEmpty || GroupMarker.isMarker($0, of: group) } ?? true
    }
  }

  /// Whether several collections have a marker of the group and none is proven to be the group's.
  var isAmbiguous: Bool { location == nil && Set(markerItems.map(\.path.parent)).count > 1 }

  /// Whether all that there is are items with the attributes of its password but other content.
  var hasUnrelatedOnly: Bool {
    !items.isEmpty && proven.isEmpty && namesakes.isEmpty && elsewhere.isEmpty && unproven.isEmpty
      && otherKeyrings.isEmpty && unread.isEmpty
      && items.allSatisfy {
        $0.key?.kind == .groupKey && $0.bytes.map(GroupCreator.hasForm(ofPassword:)) == false
      }
  }

  /// Whether nothing of the group exists.
  var isEmpty: Bool { items.isEmpty && namesakes.isEmpty && elsewhere.isEmpty }

  /// Returns whether an item is in a collection that is proven to be one that may hold the group's records.
  func isProven(_ item: Item) -> Bool { standings[item.path.parent] == .proven }

  /// Returns the time at which the newest token was stored; times after a limit, which no clock showed, don't count.
  func newest(until limit: Date) -> Date? {
    records.flatMap { $0.document?.credentials ?? [] }.compactMap(\.cachedAt).filter { $0 <= limit }.max()
  }
}
