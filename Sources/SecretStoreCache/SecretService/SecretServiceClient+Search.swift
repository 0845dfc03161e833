// SPDX-License-Identifier: MIT

extension SecretServiceClient {
  /// Returns the items of all collections whose attributes include the given ones.
  ///
  /// This is one round trip where a search also finds locked items. It searches again when it found a locked item and
  /// unlocked its collection because the wallet was open. With other providers it searches each open collection, and
  /// returns the locked ones in ``FoundItems/unsearchedCollections``.
  package func search(_ attributes: [String: String]) async throws -> FoundItems {
    guard try await traits().searchFindsLocked else { return try await searchOpen(attributes) }
    let found = try await perform { try await $0.search(attributes) }
    guard try await unlockOpenWallets(of: found.locked) else { return found }
    return try await perform { try await $0.search(attributes) }
  }

  /// Searches several times, and reads the secrets of the items found where a search of the whole service is
  /// possible.
  ///
  /// - Parameter known: Items whose secrets are also read.
  func read(_ searches: [[String: String]], with known: [ObjectPath] = []) async throws -> SearchReplies {
    guard try await traits().searchFindsLocked else {
      var replies = SearchReplies()
      for attributes in searches { replies.found.append(try await searchOpen(attributes)) }
      return replies
    }
    let replies = try await perform { try await $0.read(searches, with: known) }
    guard try await unlockOpenWallets(of: replies.found.flatMap(\.locked)) else { return replies }
    return try await perform { try await $0.read(searches, with: known) }
  }

  private func searchOpen(_ attributes: [String: String]) async throws -> FoundItems {
    var found = FoundItems()
    for collection in try await collections() {
      switch try await isLocked(collection) {
      case nil: continue
      case true?: found.unsearchedCollections.append(collection)
      case false?: found.unlocked += try await search(attributes, in: collection)
      }
    }
    return found
  }

  /// Returns the items of one open collection whose attributes include the given ones.
  private func search(
    _ attributes: [String: String], in collection: ObjectPath
  ) async throws -> [ObjectPath] {
    let paths = try await perform { handle in
      try await handle.call(
        .cancellable, path: collection, interface: "org.freedesktop.Secret.Collection", method: "SearchItems",
        arguments: { [try .strings(attributes)] }, reply: "(ao)",
        read: { $0.paths(at: 0) })
    }
    guard let paths else { throw BusError.malformed }
    return paths
  }
}
