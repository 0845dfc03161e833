// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Items that a removal can't remove, in the collections that hold them.
package struct LeftItems: Error, Sendable, Hashable {
  /// The number of items in locked collections, by the collections' labels.
  private(set) var locked: [String: Int] = [:]
  /// The number of items in unlocked collections that can't be read or hold tokens, by the collections' labels.
  private(set) var unlocked: [String: Int] = [:]

  var isEmpty: Bool { locked.isEmpty && unlocked.isEmpty }

  /// Adds items.
  mutating func add(_ items: Set<ObjectPath>, areLocked: Bool, _ client: SecretServiceClient) async throws {
    for (collection, items) in Dictionary(grouping: items, by: \.parent) {
      let label = try await client.label(ofCollection: collection)
      if areLocked {
        locked[label, default: 0] += items.count
      } else {
        unlocked[label, default: 0] += items.count
      }
    }
  }

  /// What the user can do.
  package var remedy: String {
    locked.isEmpty
      ? "Run the command again; if the items stay, look at them in Passwords and Keys."
      : "Unlock that keyring, as in Passwords and Keys, and run the command again; or delete the keyring there."
  }

  /// Returns the error of a removal.
  ///
  /// - Parameter what: What was removed otherwise, such as `the access group com.contoso.shared`.
  func error(_ what: String) -> SecretStoreError {
    func places(_ counts: [String: Int]) -> String {
      counts.sorted { $0.key < $1.key }.map { "\($0.key) (\(Quantity.of($0.value, "item")))" }
        .joined(separator: ", ")
    }
    let sentences = [
      unlocked.isEmpty
        ? nil : "items with its attributes hold tokens, or can't be read, in a keyring: \(places(unlocked))",
      locked.isEmpty
        ? nil : "items with its attributes are in a locked keyring that stays: \(places(locked))",
    ].compactMap(\.self)
    return SecretStoreError(
      locked.isEmpty ? .storageFailed : .groupLocked,
      "Nothing else is left of \(what), but \(sentences.joined(separator: "; and ")).", underlying: self)
  }
}
