// SPDX-License-Identifier: MIT

import CLibSecret

extension SecretServiceClient {
  /// The items of all collections whose attributes include the given ones.
  ///
  /// One round trip where that finds what is locked, too; one more when something was, and could be unlocked because
  /// its wallet is open. Elsewhere each open collection is searched, and the locked ones are named in the answer.
  func search(_ attributes: [String: String]) async throws -> FoundItems {
    let traits = try await traits()
    if traits.offersWalletInterface {
      let found = try await searchService(attributes)
      return try await unlockOpenWallets(of: found.locked) ? searchService(attributes) : found
    }
    return traits.searchFindsLocked ? try await searchService(attributes) : try await searchOpen(attributes)
  }

  private func searchOpen(_ attributes: [String: String]) async throws -> FoundItems {
    var found = FoundItems()
    for collection in try await collections() {
      switch try await isLocked(collection) {
      case nil: continue
      case true?: found.hiding.append(collection)
      case false?: found.unlocked += try await search(attributes, in: collection)
      }
    }
    return found
  }

  /// The items of one open collection whose attributes include the given ones.
  private func search(
    _ attributes: [String: String], in collection: ObjectPath
  ) async throws -> [ObjectPath] {
    let paths = try await perform { handle in
      try await handle.call(
        .cancellable, path: collection, interface: "org.freedesktop.Secret.Collection", method: "SearchItems",
        arguments: { [.strings(attributes)] }, reply: "(ao)",
        read: { $0.paths(at: 0) })
    }
    guard let paths else { throw BusError.malformed }
    return paths
  }

  /// Searches the whole service.
  ///
  /// The corresponding C function is `secret_service_search_for_dbus_paths`, without a schema: a locked
  /// gnome-keyring collection does not know the schemas of its items.
  private func searchService(_ attributes: [String: String]) async throws -> FoundItems {
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
        _ = unsafe try withAnswer {
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
}
