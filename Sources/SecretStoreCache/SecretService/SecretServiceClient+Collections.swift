// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

extension SecretServiceClient {
  /// The collection behind an alias, or `nil` when there is none.
  func collection(alias: String) async throws -> ObjectPath? {
    let path = try await perform { handle in
      try await handle.call(
        .cancellable, path: .service, interface: "org.freedesktop.Secret.Service", method: "ReadAlias",
        arguments: { [Variant.string(alias)] }, reply: "(o)", read: { $0.path(at: 0) })
    }
    return path == ObjectPath.none ? nil : path
  }

  /// Whether a collection is the login or the default one, which is no group's own, whatever a marker in it says.
  func isCommon(_ collection: ObjectPath) async throws -> Bool {
    for alias in ["login", "default"] {
      if try await self.collection(alias: alias) == collection { return true }
    }
    return false
  }

  /// Every collection.
  func collections() async throws -> [ObjectPath] {
    try await property("Collections", of: .service, interface: "org.freedesktop.Secret.Service") { $0.paths }
  }

  /// Every item of a collection; a locked one may hide them.
  func items(of collection: ObjectPath) async throws -> [ObjectPath] {
    try await property("Items", of: collection, interface: "org.freedesktop.Secret.Collection") { $0.paths }
  }

  /// What a person reads of a collection.
  func label(ofCollection collection: ObjectPath) async throws -> String {
    try await property("Label", of: collection, interface: "org.freedesktop.Secret.Collection") { $0.text }
  }

  /// Whether a collection is locked; `nil` when there is no such collection.
  func isLocked(_ collection: ObjectPath) async throws -> Bool? {
    try await isLocked(collection, interface: "org.freedesktop.Secret.Collection")
  }

  /// Whether an item is locked; `nil` when there is no such item.
  func isLocked(item: ObjectPath) async throws -> Bool? {
    try await isLocked(item, interface: "org.freedesktop.Secret.Item")
  }

  private func isLocked(_ path: ObjectPath, interface: String) async throws -> Bool? {
    do {
      return try await property("Locked", of: path, interface: interface) { $0.truth }
    } catch let error as BusError where error.meaning == .noSuchObject {
      return nil
    }
  }

  /// One property of an object.
  func property<Output: Sendable>(
    _ name: String, of path: ObjectPath, interface: String,
    _ read: @escaping @Sendable (Reply) -> Output?
  ) async throws -> Output {
    let value = try await perform { handle in
      try await handle.call(
        .cancellable, path: path, interface: "org.freedesktop.DBus.Properties", method: "Get",
        arguments: { [Variant.string(interface), Variant.string(name)] }, reply: "(v)",
        read: { $0.unwrapped(at: 0, read) })
    }
    guard let value else { throw BusError.malformed }
    return value
  }
}
