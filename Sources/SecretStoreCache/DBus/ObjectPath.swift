// SPDX-License-Identifier: MIT

/// A D-Bus object path.
///
/// Paths are kept in memory only. On some providers an item's path is a counter that restarts with the daemon.
package struct ObjectPath: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  /// Creates a path from text.
  ///
  /// - Returns: `nil` when the text is not an object path (D-Bus Specification, "Valid Object Paths").
  init?(_ text: String) {
    let elements = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isPath = elements.count > 1 && elements[0].isEmpty && elements.dropFirst().allSatisfy(Self.isElement)
    guard isPath || text == "/" else { return nil }
    self.text = text
  }

  private static func isElement(_ element: Substring.UTF8View) -> Bool {
    !element.isEmpty
      && element.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The object of the bus itself.
  static let bus: ObjectPath = "/org/freedesktop/DBus"

  package var description: String { text }
}

extension ObjectPath: ExpressibleByStringLiteral {
  package init(stringLiteral text: StaticString) { self.text = text.description }
}
