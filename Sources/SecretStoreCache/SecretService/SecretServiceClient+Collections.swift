// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretServiceClient {
  /// Returns the collection behind an alias, or `nil` when there is none.
  package func collection(alias: String) async throws -> ObjectPath? {
    let path = try await perform { handle in
      try await handle.call(
        .cancellable, path: .service, interface: "org.freedesktop.Secret.Service", method: "ReadAlias",
        arguments: { [try .string(alias)] }, reply: "(o)", read: { $0.path(at: 0) })
    }
    return path == ObjectPath.none ? nil : path
  }

  /// Returns whether a collection is the login or the default collection.
  ///
  /// Such a collection never belongs to one group alone, whatever a marker in it says.
  package func isCommon(_ collection: ObjectPath) async throws -> Bool {
    for alias in ["login", "default"] {
      if try await self.collection(alias: alias) == collection { return true }
    }
    return false
  }

  /// Returns all collections.
  package func collections() async throws -> [ObjectPath] {
    try await property("Collections", of: .service, interface: "org.freedesktop.Secret.Service") { $0.paths }
  }

  /// Returns the items of a collection; a locked collection may hide them, and one that is gone has none.
  package func items(of collection: ObjectPath) async throws -> [ObjectPath] {
    try await ifExists {
      try await property("Items", of: collection, interface: "org.freedesktop.Secret.Collection") { $0.paths }
    } ?? []
  }

  /// Returns the label of a collection that users see; an empty one where the collection is gone.
  ///
  /// Others delete collections at any time. And gnome-keyring lists the keyring of a file that has appeared since it
  /// started, but has no object for it.
  package func label(ofCollection collection: ObjectPath) async throws -> String {
    try await ifExists {
      try await property("Label", of: collection, interface: "org.freedesktop.Secret.Collection") { $0.text }
    } ?? ""
  }

  /// Returns what people know a collection by: its label, or its path where it has none, as gnome-keyring's collection
  /// of the session.
  func displayName(ofCollection collection: ObjectPath) async throws -> String {
    let label = try await label(ofCollection: collection)
    return label.isEmpty ? collection.text : label
  }

  /// Returns the times of a collection's creation and last change by the daemon's clock, in whole seconds since 1970;
  /// without those that the provider does not record.
  func times(ofCollection collection: ObjectPath) async throws -> Set<Int> {
    var times: Set<Int> = []
    for name in ["Created", "Modified"] {
      try await times.insert(
        property(name, of: collection, interface: "org.freedesktop.Secret.Collection") { $0.number })
    }
    return times.subtracting([0])
  }

  /// Returns what is read of an object; `nil` where it is gone.
  func ifExists<Output>(_ read: () async throws -> Output) async throws -> Output? {
    do {
      return try await read()
    } catch let error as BusError where error.meaning == .noSuchObject {
      return nil
    }
  }

  /// Returns what people know the collections by that items are in, sorted.
  func displayNames(ofCollectionsOf items: Set<ObjectPath>) async throws -> [String] {
    var names: Set<String> = []
    for collection in Set(items.map(\.parent)) {
      names.insert(try await displayName(ofCollection: collection))
    }
    return names.sorted()
  }

  /// Returns whether a collection is locked, or `nil` when it does not exist.
  package func isLocked(_ collection: ObjectPath) async throws -> Bool? {
    try await isLocked(collection, interface: "org.freedesktop.Secret.Collection")
  }

  /// Returns whether an item is locked, or `nil` when it does not exist.
  package func isLocked(item: ObjectPath) async throws -> Bool? {
    try await isLocked(item, interface: "org.freedesktop.Secret.Item")
  }

  private func isLocked(_ path: ObjectPath, interface: String) async throws -> Bool? {
    try await ifExists { try await property("Locked", of: path, interface: interface) { $0.bool } }
  }

  /// Asks the provider to unlock a collection.
  ///
  /// - Returns: The prompt that has to be run; `nil` when none is needed.
  func requestUnlock(of collection: ObjectPath) async throws -> ObjectPath? {
    let prompt = try await perform { handle in
      try await handle.call(
        .waited, path: .service, interface: "org.freedesktop.Secret.Service", method: "Unlock",
        arguments: { [try .paths([collection])] }, reply: "(aoo)", read: { $0.path(at: 1) })
    }
    return prompt == ObjectPath.none ? nil : prompt
  }

  /// Reads one property of an object.
  func property<Output: Sendable>(
    _ name: String, of path: ObjectPath, interface: String,
    _ read: @escaping @Sendable (Reply) -> Output?
  ) async throws -> Output {
    let value = try await perform { handle in
      try await handle.call(
        .cancellable, path: path, interface: "org.freedesktop.DBus.Properties", method: "Get",
        arguments: { [try .string(interface), try .string(name)] }, reply: "(v)",
        read: { $0.unwrapped(at: 0, read) })
    }
    guard let value else { throw BusError.malformed }
    return value
  }
}
