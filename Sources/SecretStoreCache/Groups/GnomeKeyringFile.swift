// SPDX-License-Identifier: MIT

/// gnome-keyring's rule from a collection's name to its file, its object path, and the attribute by which the
/// daemon finds the collection's password in the login collection.
///
/// Source: gnome-keyring's `gkm-secret-collection.c` and `gkd-secret-util.c`; a group's name holds no character
/// that the file name would lose.
struct GnomeKeyringFile: Sendable, Hashable {
  /// The file's name without its ending.
  let stem: String

  /// The file that a collection with a label gets when none of that name exists.
  init(label: String) { stem = label }

  /// The file of a collection; `nil` when the path is not spelled by the rule.
  init?(collection: ObjectPath) {
    guard let slash = collection.text.lastIndex(of: "/") else { return nil }
    var bytes: [UInt8] = []
    var rest = Array(collection.text[collection.text.index(after: slash)...].utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "_") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    stem = String(decoding: bytes, as: UTF8.self)
  }

  /// The file that an item's `keyring` attribute names.
  init?(attribute: String?) {
    let prefix = "LOCAL:/keyrings/"
    let suffix = ".keyring"
    guard let attribute, attribute.hasPrefix(prefix), attribute.hasSuffix(suffix),
      attribute.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    stem = String(attribute.dropFirst(prefix.count).dropLast(suffix.count))
  }

  /// The value of the `keyring` attribute.
  var attribute: String { "LOCAL:/keyrings/\(stem).keyring" }

  /// The collection's object path: every byte other than ASCII letters and digits is `_` and two hex digits.
  var collection: ObjectPath {
    let digits = Array("0123456789abcdef")
    var name = ""
    for byte in stem.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        name.append(Character(UnicodeScalar(byte)))
      default: name += "_\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return ObjectPath("/org/freedesktop/secrets/collection/\(name)")
  }
}
