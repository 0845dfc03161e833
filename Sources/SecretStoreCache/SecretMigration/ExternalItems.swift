// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Finds and reads the items of a source, all of them or none.
struct ExternalItems: Sendable {
  private static let schema = "xdg:schema"

  let client: SecretServiceClient
  let source: SecretSource

  /// Reads the items.
  ///
  /// - Throws: `groupLocked` when an item is locked, or a locked collection could hide one; `invalidArgument` when the
  ///   source has no attributes or an item lacks a named attribute.
  func read() async throws -> [ExternalItem] {
    guard !source.attributes.isEmpty else {
      throw SecretStoreError(
        .invalidArgument, "A source without attributes would mean every program's items.")
    }
    let paths = try await find()
    let secrets = try await client.secrets(of: paths)
    var items: [ExternalItem] = []
    for path in paths {
      guard let stored = secrets[path] else { throw Self.locked }
      let attributes = try await client.attributes(of: path)
      guard source.attributes.allSatisfy({ attributes[$0.key] == $0.value }), !Self.isOwn(attributes) else {
        continue
      }
      let label = try await client.label(of: path)
      items.append(ExternalItem(path: path, secret: try secret(stored, attributes, label: label)))
    }
    return items
  }

  /// Returns the unlocked items that may belong to the source.
  ///
  /// A locked gnome-keyring collection does not know the schemas of its items, so the schema is compared afterwards.
  private func find() async throws -> [ObjectPath] {
    let wanted = try await collections()
    if wanted?.isEmpty == true { return [] }
    func couldHold(_ collection: ObjectPath) -> Bool { wanted?.contains(collection) != false }
    func isWanted(_ item: ObjectPath) -> Bool { couldHold(item.parent) }
    var searched = source.attributes
    searched[Self.schema] = nil
    let isSchemaOnly = searched.isEmpty
    let found = try await client.search(isSchemaOnly ? source.attributes : searched)
    guard !found.locked.contains(where: isWanted), !found.unsearchedCollections.contains(where: couldHold)
    else {
      throw Self.locked
    }
    if isSchemaOnly {
      let searched = if let wanted { wanted } else { try await client.collections() }
      for collection in searched where try await client.isLocked(collection) == true { throw Self.locked }
    }
    return found.unlocked.filter(isWanted).sorted { $0.text < $1.text }
  }

  /// Returns the collections with the source's label; `nil` for all collections.
  private func collections() async throws -> [ObjectPath]? {
    guard let name = source.collection else { return nil }
    var named: [ObjectPath] = []
    for collection in try await client.collections()
    where try await client.label(ofCollection: collection) == name { named.append(collection) }
    return named
  }

  private func secret(
    _ secret: Secret, _ attributes: [String: String], label: String
  ) throws(SecretStoreError) -> NewSecret {
    func value(_ part: SecretSource.Part) throws(SecretStoreError) -> String {
      switch part {
      case .text(let text): return text
      case .attribute(let name):
        guard let value = attributes[name] else {
          throw SecretStoreError(.invalidArgument, "An item of the source lacks the attribute \(name).")
        }
        return value
      }
    }
    return NewSecret(
      secret, service: try value(source.service), account: try value(source.account),
      label: AppSecrets.isLabel(label) ? label : nil)
  }

  /// Returns whether an item is this library's own, whose content is not a plain secret.
  private static func isOwn(_ attributes: [String: String]) -> Bool {
    ItemAttributes.key(attributes) != nil && attributes["group"] != nil
  }

  private static let locked = SecretStoreError(
    .groupLocked,
    "Items that were to move are locked, or a locked collection could hold some; unlock it first.")
}

/// An item that another library stored, and the secret that it becomes in a group.
struct ExternalItem: Sendable {
  let path: ObjectPath
  let secret: NewSecret
}
