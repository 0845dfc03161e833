// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Finds the items of a source and reads them, all of them or none.
struct ForeignItems: Sendable {
  private static let schema = "xdg:schema"

  let client: SecretServiceClient
  let source: SecretSource

  /// The items, read.
  ///
  /// - Throws: `groupLocked` when one of them is locked, or could be hidden by a collection that is;
  ///   `invalidArgument` when the source is too wide or an item lacks a named attribute.
  func read() async throws -> [ForeignItem] {
    guard !source.attributes.isEmpty else {
      throw SecretStoreError(
        .invalidArgument, "A source without attributes would mean every program's items.")
    }
    let paths = try await find()
    let secrets = try await client.secrets(of: paths)
    var items: [ForeignItem] = []
    for path in paths {
      guard let stored = secrets[path] else { throw Self.locked }
      let attributes = try await client.attributes(of: path)
      guard source.attributes.allSatisfy({ attributes[$0.key] == $0.value }), !Self.isOwn(attributes) else {
        continue
      }
      let label = try await client.label(of: path)
      items.append(ForeignItem(path: path, secret: try secret(stored, attributes, label: label)))
    }
    return items
  }

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
    guard !found.locked.contains(where: isWanted), !found.hiding.contains(where: couldHold) else {
      throw Self.locked
    }
    if isSchemaOnly {
      let places = if let wanted { wanted } else { try await client.collections() }
      for place in places where try await client.isLocked(place) == true { throw Self.locked }
    }
    return found.unlocked.filter(isWanted).sorted { $0.text < $1.text }
  }

  /// The collections of the source's label; `nil` for all.
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

  /// Whether it is one of this library's own items, whose content is no secret by itself.
  private static func isOwn(_ attributes: [String: String]) -> Bool {
    ItemAttributes.key(attributes) != nil && attributes["group"] != nil
  }

  private static let locked = SecretStoreError(
    .groupLocked,
    "Items that were to move are locked, or a locked collection could hold some; unlock it first.")
}
