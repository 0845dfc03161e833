// SPDX-License-Identifier: MIT

/// A value that a caller derives from a record and keeps with it.
///
/// The storage layer does not know what it is. A back end that keeps its records in memory keeps it, too.
package final class DerivedValue: Sendable {
  private let stored = Locked<(any Sendable)?>(nil)

  /// Returns the value.
  ///
  /// The first call makes it. All callers use one type.
  package func value<Value: Sendable>(_ make: () -> Value) -> Value {
    stored.withLock { stored in
      if let value = stored as? Value { return value }
      let value = make()
      stored = value
      return value
    }
  }
}

extension DerivedValue: CustomReflectable {
  /// A mirror without children: it may hold secrets.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
