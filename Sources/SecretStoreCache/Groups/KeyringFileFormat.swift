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

  /// Returns whether the file holds everything that its counts and lengths announce.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard isEncrypted(bytes) else { return bytes.starts(with: plainMagic) }
    var rest = Rest(bytes: bytes.dropFirst(magic.count))
    // The version and the ciphers. Then the name, the times, the flags, the lock timeout, the iterations and the salt.
    guard rest.skip(4), rest.skipText(), rest.skip(8 + 8 + 4 + 4 + 4 + 8 + 16), let items = rest.number()
    else {
      return false
    }
    for _ in 0..<items {
      guard rest.skip(8), let attributes = rest.number() else { return false }
      for _ in 0..<attributes {
        guard rest.skipText(), let type = rest.number() else { return false }
        guard type == 0 ? rest.skipText() : rest.skip(4) else { return false }
      }
    }
    guard let size = rest.number(), size > 0 else { return false }
    return rest.skip(size)
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

    /// Skips a string, which follows its length; the largest length means no string.
    mutating func skipText() -> Bool {
      guard let length = number() else { return false }
      return length == 0xffff_ffff || skip(length)
    }
  }
}
