// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The question before a group is removed or reset.
///
/// It lists the collections that are removed and those that stay.
enum GroupRemovalQuestion {
  /// Asks the user, unless the command line has given the consent.
  ///
  /// - Parameter isConfirmed: Whether the command line has `--yes`.
  static func agrees(_ question: String, _ group: AccessGroup, isConfirmed: Bool) async throws -> Bool {
    if isConfirmed { return true }
    try Confirmation.requireTerminal()
    let removal = try await SecretStore().removal(of: group)
    return try Confirmation.agrees(
      (removal.collections.map(line) + [question]).joined(separator: "\n"), isConfirmed: false)
  }

  private static func line(_ collection: GroupSummary.Removal.Collection) -> String {
    let label = Printer.printable(collection.label)
    let items = collection.count == 1 ? "1 item" : "\(collection.count) items"
    return collection.isRemoved
      ? "The collection \(label) goes, with \(items)."
      : "The collection \(label) stays, with \(items), of which \(collection.ownCount) may go."
  }
}
