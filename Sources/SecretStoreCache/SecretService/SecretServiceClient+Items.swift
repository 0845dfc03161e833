// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// What a search found.
struct FoundItems: Sendable {
  let unlocked: [ObjectPath]
  let locked: [ObjectPath]
}

extension SecretServiceClient {
  /// The items of all collections whose attributes include the given ones.
  ///
  /// One round trip.
  ///
  /// The corresponding C function is `secret_service_search_for_dbus_paths`, without a schema: a locked
  /// gnome-keyring collection does not know the schemas of its items.
  func search(_ attributes: [String: String]) async throws -> FoundItems {
    try await perform { handle in
      try await withGLibCall(.cancellable) { call in
        let table = unsafe g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        defer { unsafe g_hash_table_unref(table) }
        for (name, value) in attributes { unsafe g_hash_table_insert(table, g_strdup(name), g_strdup(value)) }
        unsafe secret_service_search_for_dbus_paths(
          handle.service, nil, table, call.cancellable, PendingCall.callback, call.retained())
      } finish: { answer in
        var unlocked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        var locked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        _ = unsafe try withGError {
          unsafe secret_service_search_for_dbus_paths_finish(
            handle.service, answer.result, &unlocked, &locked, $0)
        }
        defer {
          unsafe g_strfreev(unlocked)
          unsafe g_strfreev(locked)
        }
        return unsafe FoundItems(unlocked: Self.paths(unlocked), locked: Self.paths(locked))
      }
    }
  }

  private static func paths(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
  ) -> [ObjectPath] {
    guard let list = unsafe list else { return [] }
    var paths: [ObjectPath] = []
    var index = 0
    while let text = unsafe list[index] {
      paths.append(ObjectPath(unsafe String(cString: text)))
      index += 1
    }
    return paths
  }

  /// The secrets of items, in one round trip.
  ///
  /// Items that are locked or gone are missing from the answer, without a word from the service; an empty
  /// secret means that none is stored.
  ///
  /// The corresponding C function is `secret_service_get_secrets_for_dbus_paths`.
  func secrets(of items: [ObjectPath]) async throws -> [ObjectPath: [UInt8]] {
    if items.isEmpty { return [:] }
    return try await perform { handle in
      try await withGLibCall(.cancellable) { call in
        var list = unsafe items.map { unsafe UnsafePointer(g_strdup($0.text)) } as [UnsafePointer<gchar>?]
        unsafe list.append(nil)
        unsafe secret_service_get_secrets_for_dbus_paths(
          handle.service, &list, call.cancellable, PendingCall.callback, call.retained())
        unsafe list.forEach { unsafe g_free(UnsafeMutableRawPointer(mutating: $0)) }
      } finish: { answer in
        let table = unsafe try withGError {
          unsafe secret_service_get_secrets_for_dbus_paths_finish(handle.service, answer.result, $0)
        }
        guard let table = unsafe table else { return [:] }
        defer { unsafe g_hash_table_unref(table) }
        var secrets: [ObjectPath: [UInt8]] = [:]
        for path in items {
          guard let value = unsafe g_hash_table_lookup(table, path.text) else { continue }
          var length: gsize = 0
          let bytes = unsafe secret_value_get(OpaquePointer(value), &length)
          secrets[path] = unsafe bytes.map { start in
            unsafe start.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
              unsafe Array(UnsafeBufferPointer(start: $0, count: Int(length)))
            }
          }
        }
        return secrets
      }
    }
  }

  /// Makes an item, or replaces the one whose attributes include the given ones.
  ///
  /// One write.
  func createItem(
    in collection: ObjectPath, label: String, attributes: [String: String], schema: String, secret: [UInt8]
  ) async throws -> ObjectPath {
    var stored = attributes
    stored["xdg:schema"] = schema
    return try await perform { [stored] handle in
      let (item, prompt) = try await handle.call(
        .waited, path: collection, interface: "org.freedesktop.Secret.Collection", method: "CreateItem",
        arguments: {
          [
            Variant.properties([
              ("org.freedesktop.Secret.Item.Label", Variant.string(label)),
              ("org.freedesktop.Secret.Item.Attributes", Variant.strings(stored)),
            ]),
            handle.encode(secret), Variant.boolean(true),
          ]
        },
        read: { ($0.path(at: 0), $0.path(at: 1)) })
      try Self.requireNoPrompt(prompt)
      guard let item, item != .none else { throw BusError(domain: "secretstorecache", code: 1) }
      return item
    }
  }

  /// Changes an item's secret.
  ///
  /// One write, which costs gnome-keyring half of a replace.
  func setSecret(_ secret: [UInt8], of item: ObjectPath) async throws {
    try await perform { handle in
      try await handle.call(
        .waited, path: item, interface: "org.freedesktop.Secret.Item", method: "SetSecret",
        arguments: { [handle.encode(secret)] }, read: { _ in })
    }
  }

  /// Deletes an item.
  func deleteItem(_ item: ObjectPath) async throws {
    try await perform { handle in
      let prompt = try await handle.call(
        .waited, path: item, interface: "org.freedesktop.Secret.Item", method: "Delete",
        arguments: { [] }, read: { $0.path(at: 0) })
      try Self.requireNoPrompt(prompt)
    }
  }

  /// An item's attributes.
  ///
  /// Those of a collection that was locked since the daemon started are digests.
  func attributes(of item: ObjectPath) async throws -> [String: String] {
    try await property("Attributes", of: item, interface: "org.freedesktop.Secret.Item") { $0.pairs }
  }

  /// What a person reads of an item.
  func label(of item: ObjectPath) async throws -> String {
    try await property("Label", of: item, interface: "org.freedesktop.Secret.Item") { $0.text }
  }

  /// Changes an item's attributes.
  func setAttributes(_ attributes: [String: String], of item: ObjectPath) async throws {
    try await set("Attributes", of: item) { .strings(attributes) }
  }

  /// Changes an item's label.
  func setLabel(_ label: String, of item: ObjectPath) async throws {
    try await set("Label", of: item) { .string(label) }
  }

  private func set(
    _ property: String, of item: ObjectPath, to value: @escaping @Sendable () -> Variant
  ) async throws {
    try await perform { handle in
      try await handle.call(
        .waited, path: item, interface: "org.freedesktop.DBus.Properties", method: "Set",
        arguments: {
          [.string("org.freedesktop.Secret.Item"), .string(property), .boxed(value())]
        }, read: { _ in })
    }
  }

  static func requireNoPrompt(_ prompt: ObjectPath?) throws(SecretStoreError) {
    guard let prompt, prompt != .none else { return }
    throw SecretStoreError(
      .groupLocked, "The Secret Service wants to show a dialog, and silent calls never prompt.")
  }
}
