// SPDX-License-Identifier: MIT

extension Bool {
  /// Whether it was true; it is not from now on.
  mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}
