// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Items in locked collections, which a removal can't remove.
package struct LeftItems: ErrorWithRemedy, Sendable, Hashable {
  /// A locked collection with some of the items.
  private struct Place: Sendable, Hashable {
    /// What people know it by.
    let name: String
    /// The name of its file; its path where the provider has no such files.
    let file: String
    let count: Int
  }

  private var places: [Place] = []
  /// Whether one of the collections is one that other programs use as well, or has the name of the login keyring.
  private var isCommon = false
  /// Whether the items may be another account's.
  var isUncertain = false

  var isEmpty: Bool { places.isEmpty }

  /// Adds locked items.
  mutating func add(_ items: Set<ObjectPath>, _ client: SecretServiceClient) async throws {
    let login = try await client.collection(alias: "login")
    let loginName = if let login { try await client.displayName(ofCollection: login) } else { nil as String? }
    let hasFiles = try await client.traits().offersGnomeInterface
    for (collection, items) in Dictionary(grouping: items, by: \.parent) {
      let name = try await client.displayName(ofCollection: collection)
      let file = hasFiles ? GnomeKeyringFile(collection: collection) : nil
      places.append(
        Place(name: name, file: file.map { "\($0.stem).keyring" } ?? collection.text, count: items.count))
      if try await client.isCommon(collection) || name == loginName { isCommon = true }
    }
  }

  /// What the user can do.
  package var remedy: String {
    let (unlocked, deleted) =
      places.count == 1
      ? ("that keyring", "the keyring there, if nobody needs what is in it")
      : ("those keyrings", "the keyrings there, if nobody needs what is in them")
    let deletion = isCommon ? "" : "; or delete \(deleted)"
    return "Unlock \(unlocked), as in Passwords and Keys, and run the command again\(deletion)."
  }

  /// Returns the error of a removal.
  ///
  /// - Parameter what: What was removed otherwise, such as `the access group com.contoso.shared`.
  func error(_ what: String) -> SecretStoreError {
    let items = isUncertain ? "items that may be its" : "items with its attributes"
    let names = places.map { place in
      let isOnlyOne = places.count { $0.name == place.name } == 1
      return "\(place.name) (\(isOnlyOne ? "" : "\(place.file), ")\(Quantity.of(place.count, "item")))"
    }
    let keyrings = places.count == 1 ? "a locked keyring that stays" : "locked keyrings that stay"
    return SecretStoreError(
      .groupLocked,
      "Left of \(what): \(items) in \(keyrings): \(names.sorted().joined(separator: ", ")).",
      underlying: self)
  }
}
