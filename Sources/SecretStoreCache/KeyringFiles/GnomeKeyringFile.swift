// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// gnome-keyring's mapping from a collection's name to its file, its object path and its `keyring` attribute.
///
/// The daemon finds a collection's password in the login collection by that attribute. Source: gnome-keyring's
/// `gkm-secret-collection.c` and `gkd-secret-util.c`. A group's name contains no character that the file name would
/// lose.
package struct GnomeKeyringFile: Sendable, Hashable {
  /// The file's name without its extension.
  let stem: String

  /// Creates the file that a new collection with this label gets when no file of that name exists.
  init(label: String) { stem = label }

  /// Creates a file; `nil` where its name would lead out of the keyrings' folder.
  private init?(stem: String) {
    guard !stem.contains("/") else { return nil }
    self.stem = stem
  }

  /// Creates the file of a collection; `nil` when the object path does not follow the mapping.
  package init?(collection: ObjectPath) {
    guard let slash = collection.text.lastIndex(of: "/") else { return nil }
    let name = collection.text[slash...].dropFirst()
    guard let bytes = PercentEncoding.bytes(of: name.utf8, escapedWith: UInt8(ascii: "_")) else { return nil }
    self.init(stem: String(decoding: bytes.map(\.value), as: UTF8.self))
  }

  /// Creates the file that an item's `keyring` attribute names; `nil` when it names none.
  package init?(attribute: String?) {
    let prefix = "LOCAL:/keyrings/"
    let suffix = ".keyring"
    guard let attribute, attribute.hasPrefix(prefix), attribute.hasSuffix(suffix),
      attribute.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    self.init(stem: String(attribute.dropFirst(prefix.count).dropLast(suffix.count)))
  }

  /// Returns whether the file has a label's name, or that name with a number, which the daemon appends to one in use.
  func hasName(_ label: String) -> Bool {
    guard stem.hasPrefix(label) else { return false }
    let rest = stem.dropFirst(label.count)
    return rest.isEmpty || rest.first == "_" && rest.dropFirst().allSatisfy(\.isASCIIDigit)
  }

  /// The labels that the file's collection may have been made with: its name, also without the number that the daemon
  /// appends to one in use.
  package var firstLabels: [String] {
    guard let end = stem.lastIndex(of: "_"), hasName(String(stem[..<end])) else { return [stem] }
    return [stem, String(stem[..<end])]
  }

  /// The value of the `keyring` attribute.
  package var attribute: String { "LOCAL:/keyrings/\(stem).keyring" }

  /// The collection's object path; `nil` for a file without a name.
  ///
  /// Every byte other than an ASCII letter or digit is written as `_` and two hexadecimal digits.
  package var collection: ObjectPath? {
    var name = ""
    for byte in stem.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        name.append(Character(UnicodeScalar(byte)))
      default: name += "_" + byte.hexadecimalDigits
      }
    }
    return ObjectPath("/org/freedesktop/secrets/collection/\(name)")
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
