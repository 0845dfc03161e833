// SPDX-License-Identifier: MIT

extension ObjectPath {
  /// The path that stands for "none": no prompt is needed, or no such alias exists.
  static let none: ObjectPath = "/"

  /// The service object of the Secret Service.
  package static let service: ObjectPath = "/org/freedesktop/secrets"

  /// The object that has KWallet's own interface.
  static let walletDaemon: ObjectPath = "/modules/kwalletd5"

  /// The path of the collection that contains the item.
  package var parent: ObjectPath {
    guard let slash = text.lastIndex(of: "/") else { return .none }
    return ObjectPath(String(text[..<slash])) ?? .none
  }

  /// The last part of the path.
  package var name: String { text.split(separator: "/").last.map(String.init) ?? "" }
}
