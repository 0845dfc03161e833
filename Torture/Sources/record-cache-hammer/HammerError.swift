// SPDX-License-Identifier: MIT

/// An error that ends a process of the test.
struct HammerError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
