// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Recognizing the items of other programs, which may have any attributes.
extension ItemAttributes {
  /// Returns whether an unlocked item is another program's, whatever its other attributes are.
  ///
  /// Its schema isn't this library's, and its content isn't what its attributes say: a document that names the same
  /// record, the group's marker, or a password. Such content is read and written, so it is the group's.
  ///
  /// - Parameter keepsSchemas: Whether the provider keeps schemas. Where it doesn't, an item without one may be the
  ///   group's.
  package static func isForeign(
    _ attributes: [String: String], _ content: Secret?, keepsSchemas: Bool
  ) -> Bool {
    hasForeignSchema(attributes, keepsSchemas: keepsSchemas) && !isContent(content, of: attributes)
  }

  /// Returns whether an item's content is what its attributes say.
  static func isContent(_ content: Secret?, of attributes: [String: String]) -> Bool {
    guard let key = key(attributes), let content else { return false }
    switch key.kind {
    case .group:
      let stated = (try? GroupMarker(parsing: content))?.group
      return stated.map { attributes.contains(owner($0)) } == true
    case .groupKey: return GroupCreator.hasForm(ofPassword: content)
    default: return content.document?.metadata.record == key
    }
  }

  static func hasForeignSchema(_ attributes: [String: String], keepsSchemas: Bool) -> Bool {
    let stated = attributes[SecretServiceClient.schemaAttribute] ?? ""
    if stated == schema { return false }
    return keepsSchemas || !["", "org.freedesktop.Secret.Generic"].contains(stated)
  }
}

extension SecretServiceClient {
  /// Returns those of the unlocked items that are other programs'.
  ///
  /// - Parameter items: The items, each with its own attributes.
  package func foreign(among items: [ObjectPath: [String: String]]) async throws -> Set<ObjectPath> {
    let keepsSchemas = try await traits().keepsSchemas
    let suspects = items.filter { ItemAttributes.hasForeignSchema($0.value, keepsSchemas: keepsSchemas) }
    let contents = try await secrets(of: Array(suspects.keys))
    let foreign = suspects.filter {
      ItemAttributes.isForeign($0.value, contents[$0.key], keepsSchemas: keepsSchemas)
    }
    return Set(foreign.keys)
  }

  /// Returns the unlocked items with these attributes in a collection that this library has made.
  ///
  /// They aren't other programs', and have the whole set of attributes and, where the provider adds none, no others.
  ///
  /// - Returns: The items, each with all its attributes.
  package func ownItems(
    _ attributes: [String: String], in collection: ObjectPath
  ) async throws -> [ObjectPath: [String: String]] {
    let items = try await search(attributes).unlocked.filter { $0.parent == collection }
    let found = try await self.attributes(of: items)
    let foreign = try await foreign(among: found)
    let mayHaveOthers = try await !traits().keepsSchemas
    return found.filter {
      !foreign.contains($0.key) && ItemAttributes.isWhole($0.value, mayHaveOthers: mayHaveOthers)
    }
  }
}
