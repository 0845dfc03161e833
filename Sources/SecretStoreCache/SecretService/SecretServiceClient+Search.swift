// SPDX-License-Identifier: MIT

extension SecretServiceClient {
  /// The items of all collections whose attributes include the given ones.
  ///
  /// One round trip where that finds what is locked, too; one more when something was, and could be unlocked because
  /// its wallet is open. Elsewhere each open collection is searched, and the locked ones are named in the answer.
  func search(_ attributes: [String: String]) async throws -> FoundItems {
    guard try await traits().searchFindsLocked else { return try await searchOpen(attributes) }
    let found = try await perform { try await $0.search(attributes) }
    guard try await unlockOpenWallets(of: found.locked) else { return found }
    return try await perform { try await $0.search(attributes) }
  }

  /// Searches several times, and gets the secrets of what is found with it where the provider's searches allow that.
  func read(_ searches: [[String: String]]) async throws -> SearchAnswers {
    guard try await traits().searchFindsLocked else {
      var answers = SearchAnswers()
      for attributes in searches { answers.found.append(try await searchOpen(attributes)) }
      return answers
    }
    let answers = try await perform { try await $0.read(searches) }
    guard try await unlockOpenWallets(of: answers.found.flatMap(\.locked)) else { return answers }
    return try await perform { try await $0.read(searches) }
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
}
