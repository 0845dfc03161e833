// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The items of removed records that the provider does not delete without a prompt.
///
/// Such an item is emptied and loses its record's attributes. The next record created in its collection reuses it.
package struct RecycledItems: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  package init(client: SecretServiceClient, group: AccessGroup) {
    self.client = client
    self.group = group
  }

  /// Deletes an item, or empties it where deleting would take a prompt.
  ///
  /// An item that another process has already deleted is no error.
  package func delete(_ item: ObjectPath, during optimisticWrite: OptimisticWrite? = nil) async throws {
    do {
      if try await !client.deleteItem(item, during: optimisticWrite) {
        try await recycle(item, during: optimisticWrite)
      }
    } catch let error as BusError where error.meaning == .noSuchObject {}
  }

  /// Empties an item and removes its record's attributes.
  ///
  /// The secret is emptied first, so that a crash in between leaves an item without content.
  private func recycle(_ item: ObjectPath, during optimisticWrite: OptimisticWrite?) async throws {
    try await client.setSecret(Secret([]), of: item, during: optimisticWrite)
    try await client.setAttributes(ItemAttributes.recycled(in: group), of: item)
    try await client.setLabel(ItemAttributes.recycledLabel, of: item)
  }

  /// Gives a recycled item another record's content.
  ///
  /// - Returns: The item, or `nil` when the collection has no recycled item.
  func reuse(
    in collection: ObjectPath, label: String, attributes: [String: String], schema: String, secret: Secret,
    during optimisticWrite: OptimisticWrite?
  ) async throws -> ObjectPath? {
    guard let item = try await claim(in: collection, attributes, schema: schema) else { return nil }
    try await client.setLabel(label, of: item)
    try await client.setSecret(secret, of: item, during: optimisticWrite)
    return item
  }

  /// Gives a recycled item the record's attributes, so that no other app takes it.
  private func claim(
    in collection: ObjectPath, _ attributes: [String: String], schema: String
  ) async throws -> ObjectPath? {
    try await FileLock(.recycledItems).run {
      let found = try await client.search(ItemAttributes.recycled(in: group))
      let items = found.unlocked.filter { $0.parent == collection }
      guard let item = items.min(by: { $0.text < $1.text }) else { return nil }
      var stored = attributes
      stored[SecretServiceClient.schemaAttribute] = schema
      try await client.setAttributes(stored, of: item)
      return item
    }
  }
}
