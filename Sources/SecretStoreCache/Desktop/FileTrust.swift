// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// Who can change what is read: the least trusted of all the owners, and whether anybody else can write.
struct FileTrust {
  private(set) var owner = ManifestFile.Owner.root
  private(set) var isWritableByOthers = false

  /// Takes one more file or folder into account.
  mutating func add(_ info: stat, for reader: FileReader) {
    let owner = reader.owner(of: info)
    if self.owner == .root || owner == .other { self.owner = owner }
    // A link has no mode of its own.
    if info.st_mode & S_IFMT != S_IFLNK && info.st_mode & 0o022 != 0 { isWritableByOthers = true }
  }
}
