// SPDX-License-Identifier: MIT

/// The largest acceptable ratio, for some sizes of the group.
struct Target {
  let ratio: Double
  /// The numbers of accounts that the target applies to; `nil` for all.
  var accounts: [Int]?

  func applies(to accounts: Int) -> Bool { self.accounts?.contains(accounts) ?? true }

  var text: String {
    let places = accounts.map { " at \($0.map(String.init).joined(separator: ", "))" } ?? ""
    return "≤ \(Figures.ratio(ratio))\(places)"
  }
}
