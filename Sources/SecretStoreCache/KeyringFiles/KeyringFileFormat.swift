// SPDX-License-Identifier: MIT

/// gnome-keyring's file formats, as far as they can be read without a password.
///
/// Source: gnome-keyring 42.1, `pkcs11/secret-store/gkm-secret-binary.c` and `gkm-secret-textual.c`.
enum KeyringFileFormat {
  private static let magic = Array("GnomeKeyring\n\r\0\n".utf8)

  /// The start of a keyring without a password, which is plain text.
  private static let plainMagic = Array("[keyring]".utf8)

  static func isEncrypted(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

  /// Returns the label of an encrypted keyring, which is not encrypted; `nil` when it can't be read.
  static func label(_ bytes: [UInt8]) -> String? {
    guard isEncrypted(bytes) else { return nil }
    var rest = Rest(bytes: bytes.dropFirst(magic.count))
    guard rest.skip(4), let length = rest.number(), rest.bytes.count >= length else { return nil }
    return String(validating: rest.bytes.prefix(length), as: UTF8.self)
  }

  /// Returns whether an encrypted keyring is of a version, or encrypted in a way, that gnome-keyring can't read.
  ///
  /// Those that it reads have four zeros: the two numbers of the version, the cipher and the hash.
  static func isOfOtherVersion(_ bytes: [UInt8]) -> Bool {
    isEncrypted(bytes) && bytes.dropFirst(magic.count).prefix(4).contains { $0 != 0 }
  }

  /// Returns whether the file holds everything that its counts and lengths announce.
  static func isWhole(_ bytes: [UInt8]) -> Bool { items(bytes) != nil }

  /// Returns the names of a keyring's items, which are not encrypted; `nil` when the file is not whole.
  ///
  /// An item's name is a number, the last part of its object path.
  static func items(_ bytes: [UInt8]) -> Set<String>? { attributes(bytes).map { Set($0.keys) } }

  /// Returns the names of the attributes of each item, which are not encrypted; `nil` when the file is not whole.
  static func attributes(_ bytes: [UInt8]) -> [String: Set<String>]? {
    guard isEncrypted(bytes) else { return bytes.starts(with: plainMagic) ? plainAttributes(bytes) : nil }
    var rest = Rest(bytes: bytes.dropFirst(magic.count))
    // The version and the ciphers. Then the name, the times, the flags, the lock timeout, the iterations and the salt.
    guard rest.skip(4), rest.skipText(), rest.skip(8 + 8 + 4 + 4 + 4 + 8 + 16), let count = rest.number()
    else {
      return nil
    }
    var items: [String: Set<String>] = [:]
    for _ in 0..<count {
      guard let item = rest.number(), rest.skip(4), let attributes = rest.number() else { return nil }
      var names: Set<String> = []
      for _ in 0..<attributes {
        guard let name = rest.text(), let type = rest.number() else { return nil }
        guard type == 0 ? rest.skipText() : rest.skip(4) else { return nil }
        names.insert(name)
      }
      items["\(item)"] = names
    }
    guard let size = rest.number(), size > 0, rest.skip(size) else { return nil }
    return items
  }

  /// Returns the times of a keyring's creation and last change, in seconds since 1970; without those that are not
  /// recorded.
  ///
  /// gnome-keyring 42.1 exchanges the two with each save.
  static func times(_ bytes: [UInt8]) -> Set<Int> {
    var times: Set<Int> = []
    if isEncrypted(bytes) {
      var rest = Rest(bytes: bytes.dropFirst(magic.count))
      guard rest.skip(4), rest.skipText() else { return [] }
      for _ in 0..<2 {
        if let high = rest.number(), let low = rest.number() { times.insert(high << 32 | low) }
      }
    } else {
      for line in lines(bytes).dropFirst().prefix(while: { $0.first != UInt8(ascii: "[") }) {
        let parts = String(decoding: line, as: UTF8.self).split(separator: "=")
        if parts.count == 2, ["ctime", "mtime"].contains(parts[0]), let time = Int(parts[1]) {
          times.insert(time)
        }
      }
    }
    return times.subtracting([0])
  }

  /// Returns the attributes of a plain keyring's items: each has a section `[NAME]`, and one `[NAME:attributeN]` for
  /// each attribute.
  private static func plainAttributes(_ bytes: [UInt8]) -> [String: Set<String>] {
    var items: [String: Set<String>] = [:]
    var item: String?
    for line in lines(bytes) {
      if line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
        let parts = line.dropFirst().dropLast().split(separator: UInt8(ascii: ":"), maxSplits: 1)
        let isItem = parts.first?.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } == true
        item = isItem ? String(decoding: parts[0], as: UTF8.self) : nil
        if let item, parts.count == 1 { items[item, default: []] = [] }
      } else if let item, line.starts(with: attributeName) {
        items[item]?.insert(String(decoding: line.dropFirst(attributeName.count), as: UTF8.self))
      }
    }
    return items
  }

  private static let attributeName = Array("name=".utf8)

  /// Returns the lines of a plain keyring; they may end with CR and LF, as an editor of another system writes them.
  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: UInt8(ascii: "\n")).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
  }

  /// The bytes that have not been parsed yet.
  private struct Rest {
    var bytes: ArraySlice<UInt8>

    mutating func skip(_ count: Int) -> Bool {
      guard bytes.count >= count else { return false }
      bytes = bytes.dropFirst(count)
      return true
    }

    mutating func number() -> Int? {
      let digits = bytes.prefix(4)
      guard skip(4) else { return nil }
      return digits.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a string, which follows its length.
    mutating func text() -> String? {
      let start = bytes
      guard skipText() else { return nil }
      return String(decoding: start.dropFirst(4).prefix(start.count - 4 - bytes.count), as: UTF8.self)
    }

    /// Skips a string, which follows its length; the largest length means no string.
    mutating func skipText() -> Bool {
      guard let length = number() else { return false }
      return length == 0xffff_ffff || skip(length)
    }
  }
}
