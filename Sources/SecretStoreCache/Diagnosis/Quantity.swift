// SPDX-License-Identifier: MIT

/// Numbers of things in sentences.
enum Quantity {
  /// A number and its noun, `1 item` or `2 items`.
  static func of(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
