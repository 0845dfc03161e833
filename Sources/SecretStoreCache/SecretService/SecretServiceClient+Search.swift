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
  private func searchService(_ attributes: [String: String]) async throws -> FoundItems {
    let found = try await perform { handle in
      try await handle.call(
        .cancellable, path: .service, interface: "org.freedesktop.Secret.Service", method: "SearchItems",
        arguments: { [.strings(attributes)] }, reply: "(aoao)",
        read: { ($0.paths(at: 0), $0.paths(at: 1)) })
    }
    guard let unlocked = found.0, let locked = found.1 else { throw BusError.malformed }
    return FoundItems(unlocked: unlocked, locked: locked)
  }
}
