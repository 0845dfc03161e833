// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// An item of a group that can't be read, because another program or a newer version wrote it, or it was truncated.
///
/// The library never overwrites it. In the group's own collection, no app can store that record until the item is set
/// aside (see ``SecretStore/perform(_:progress:)``) or removed. The description shows nothing of the content.
package struct DamagedItem: Sendable, Identifiable {
  /// An identifier among the group's damaged items; setting the item aside keeps it, moving the item changes it.
  package let id: String

  /// The group that the item is in.
  package let group: AccessGroup

  /// The record that the item belongs to, or belonged to before it was set aside.
  package let record: RecordKey

  /// Why the item can't be read, as a sentence.
  package let reason: String

  /// Whether the item has been set aside, so that apps can store its record again.
  package let isSetAside: Bool

  /// The unchanged content.
  package let content: Secret

  let path: ObjectPath

  /// Whether a newer version of the library wrote the item.
  var isOfNewerVersion: Bool {
    content.read { (try? CacheDocument(parsing: $0))?.metadata.isOfNewerVersion == true }
  }

  /// Creates a damaged item.
  ///
  /// - Parameter attributes: The item's own attributes. It isn't another program's.
  /// - Returns: `nil` for an item that can be read, is empty, or belongs to no record.
  package init?(path: ObjectPath, attributes: [String: String], content: Secret?, in group: AccessGroup) {
    guard let key = ItemAttributes.key(attributes), key.kind != .groupKey, let content, !content.isEmpty
    else { return nil }
    if key.kind == .damaged {
      (record, isSetAside, reason) = (key.originalOfSetAside ?? key, true, "It was set aside.")
    } else if key.kind == .group {
      if GroupMarker.isMarker(content, of: group) { return nil }
      (record, isSetAside, reason) = (key, false, "It is no marker of the access group.")
    } else {
      guard let damaged = DamagedRecord(content.read { Record(key: key, bytes: $0) }) else { return nil }
      (record, isSetAside, reason) = (key, false, damaged.reason)
    }
    // Compute the identifier. One that was read from an attribute might not be unique: any program can write
    // attributes.
    id = Self.id(of: record, at: path)
    (self.path, self.group, self.content) = (path, group, content)
  }

  /// The key under which the item is stored once it is set aside.
  var setAsideKey: RecordKey {
    RecordKey(
      kind: .damaged, account: record.account, environment: record.environment, clientID: record.clientID,
      familyID: record.familyID, key: "\(record.kind.rawValue)/\(id)/\(record.key)")
  }

  /// Orders damaged items by purpose.
  package static func isBefore(_ left: DamagedItem, _ right: DamagedItem) -> Bool {
    (left.description, left.id) < (right.description, right.id)
  }

  private static func id(of key: RecordKey, at path: ObjectPath) -> String {
    let parts = [
      path.text, key.kind.rawValue, key.account, key.environment, key.clientID, key.familyID, key.key,
    ]
    return String(Digest.hex(parts.joined(separator: "\n")).prefix(12))
  }
}

extension DamagedItem: CustomStringConvertible, CustomReflectable {
  /// The purpose of the item's record, with its client and host.
  package var description: String { record.purpose }

  /// An empty mirror, so that dumps don't show the content.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
