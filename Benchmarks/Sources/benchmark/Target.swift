// SPDX-License-Identifier: MIT

/// The greatest ratio that is to be reached, at some sizes of the group.
struct Target {
  let ratio: Double
  /// The numbers of accounts that it is stated for; all when `nil`.
  var accounts: [Int]?

  func applies(to accounts: Int) -> Bool { self.accounts?.contains(accounts) ?? true }

  var text: String {
    let places = accounts.map { " at \($0.map(String.init).joined(separator: ", "))" } ?? ""
    return "≤ \(Figures.ratio(ratio))\(places)"
  }
}
