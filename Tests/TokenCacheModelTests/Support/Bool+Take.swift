// SPDX-License-Identifier: MIT

extension Bool {
  /// Sets the value to `false`; returns its former value.
  mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}
