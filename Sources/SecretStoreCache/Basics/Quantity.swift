// SPDX-License-Identifier: MIT

/// Formatting of numbers with nouns.
package enum Quantity {
  /// Returns a number and its noun, such as `1 item` or `2 items`.
  package static func of(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
