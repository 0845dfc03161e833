// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// The identity of a file or folder, independent of the path that leads to it.
struct FileIdentity: Hashable {
  let device: UInt
  let inode: UInt

  init?(_ path: String) {
    guard let info = FileReader().information(path, followsLink: true) else { return nil }
    (device, inode) = (UInt(info.st_dev), UInt(info.st_ino))
  }
}
