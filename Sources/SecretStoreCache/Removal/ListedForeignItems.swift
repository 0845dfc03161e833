// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Other programs' items with documents of the group's records, which lists show where no other item has the record.
///
/// A removal leaves them: they weren't made by this library.
struct ListedForeignItems: ErrorWithRemedy {
  private var items: [RecordKey: Set<ObjectPath>] = [:]

  /// Adds an item, unless no list finds it by its attributes.
  mutating func add(_ item: ObjectPath, _ attributes: [String: String], _ record: RecordKey) {
    guard [.credentials, .family, .legacy, .secret].contains(record.kind) else { return }
    if attributes["kind"] == record.kind.rawValue { items[record, default: []].insert(item) }
  }

  /// Returns the items that lists show.
  ///
  /// - Parameter records: The records that the group's own items hold.
  func listed(beside records: Set<RecordKey>) -> Set<ObjectPath> {
    items.reduce(into: []) { listed, item in
      if !records.contains(item.key), item.value.count == 1 { listed.formUnion(item.value) }
    }
  }

  /// What the user can do.
  var remedy: String { "Delete it with the program that made it, or in Passwords and Keys." }

  /// Returns the error of a removal.
  static func error(_ what: String, in collections: [String]) -> SecretStoreError {
    SecretStoreError(
      .storageFailed,
      "Left of \(what): another program's item, which lists show still. It is in the keyring "
        + "\(collections.joined(separator: ", ")).", underlying: ListedForeignItems())
  }
}
