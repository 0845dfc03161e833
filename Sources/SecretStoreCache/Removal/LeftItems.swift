// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Items in locked collections, which a removal can't remove.
package struct LeftItems: ErrorWithRemedy, Sendable, Hashable {
  /// The number of items by what people know their collections by.
  private var counts: [String: Int] = [:]
  /// Whether one of the collections is one that other programs use as well.
  private var isCommon = false
  /// Whether the items may be another account's.
  var isUncertain = false

  var isEmpty: Bool { counts.isEmpty }

  /// Adds locked items.
  mutating func add(_ items: Set<ObjectPath>, _ client: SecretServiceClient) async throws {
    for (collection, items) in Dictionary(grouping: items, by: \.parent) {
      counts[try await client.displayName(ofCollection: collection), default: 0] += items.count
      isCommon = try await client.isCommon(collection) || isCommon
    }
  }

  /// What the user can do.
  package var remedy: String {
    "Unlock that keyring, as in Passwords and Keys, and run the command again"
      + (isCommon ? "." : "; or delete the keyring there, if nobody needs what is in it.")
  }

  /// Returns the error of a removal.
  ///
  /// - Parameter what: What was removed otherwise, such as `the access group com.contoso.shared`.
  func error(_ what: String) -> SecretStoreError {
    let items = isUncertain ? "items that may be its" : "items with its attributes"
    let places = counts.sorted { $0.key < $1.key }.map { "\($0.key) (\(Quantity.of($0.value, "item")))" }
    return SecretStoreError(
      .groupLocked,
      "Left of \(what): \(items) in a locked keyring that stays: \(places.joined(separator: ", ")).",
      underlying: self)
  }
}
