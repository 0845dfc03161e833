// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Items of removed records that the provider would not delete without asking.
///
/// Such an item is emptied, tells no longer whose it was, and is the next record's that is made in its collection.
struct RetiredItems: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  /// Empties an item before it stops being the record's: a crash in between leaves an item without content.
  func retire(_ item: ObjectPath) async throws {
    try await client.setSecret(Secret([]), of: item)
    try await client.setAttributes(ItemAttributes.retired(in: group), of: item)
    try await client.setLabel(ItemAttributes.retiredLabel, of: item)
  }

  /// Gives an item another record's content.
  ///
  /// - Returns: The item, or `nil` when there is none to be had.
  func reuse(
    in collection: ObjectPath, label: String, attributes: [String: String], schema: String, secret: Secret
  ) async throws -> ObjectPath? {
    guard let item = try await claim(in: collection, attributes, schema: schema) else { return nil }
    try await client.setLabel(label, of: item)
    try await client.setSecret(secret, of: item)
    return item
  }

  /// Makes an item the record's, so that no other app takes it.
  private func claim(
    in collection: ObjectPath, _ attributes: [String: String], schema: String
  ) async throws -> ObjectPath? {
    try await FileLock(name: "retired-items").run {
      let found = try await client.search(ItemAttributes.retired(in: group))
      let items = found.unlocked.filter { $0.parent == collection }
      guard let item = items.min(by: { $0.text < $1.text }) else { return nil }
      var stored = attributes
      stored[ItemAttributes.schemaName] = schema
      try await client.setAttributes(stored, of: item)
      return item
    }
  }
}
