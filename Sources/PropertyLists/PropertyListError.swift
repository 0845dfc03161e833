// SPDX-License-Identifier: MIT

/// A property list was refused: it is malformed, or exceeds a limit.
///
/// It holds no content of the list. It is safe to log.
package struct PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, a sentence in English.
  package let description: String

  init(_ description: String) { self.description = description }
}
