// SPDX-License-Identifier: MIT

/// A D-Bus object path of the Secret Service.
///
/// Kept in memory only: on some providers item paths are counters that start anew with the daemon.
struct ObjectPath: Hashable, Sendable, CustomStringConvertible {
  let text: String

  init(_ text: String) { self.text = text }

  /// The path that stands for "none": no prompt needed, no such alias.
  static let none = ObjectPath("/")

  /// The service itself.
  static let service = ObjectPath("/org/freedesktop/secrets")

  /// KWallet's own object.
  static let walletDaemon = ObjectPath("/modules/kwalletd5")

  /// The collection that an item's path lies in.
  var parent: ObjectPath {
    guard let slash = text.lastIndex(of: "/"), slash != text.startIndex else { return .none }
    return ObjectPath(String(text[..<slash]))
  }

  var description: String { text }
}
