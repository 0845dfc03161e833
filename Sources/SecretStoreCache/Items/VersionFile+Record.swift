// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension VersionFile {
  /// Creates the version of a record; it is stored in the file of its write lock, and only the lock's holder changes
  /// it.
  init(of key: RecordKey, in group: AccessGroup) throws(SecretStoreError) {
    try self.init(name: FileLock(.write, of: key, in: group).fileName)
  }

  /// Creates the version of a group as a whole, which changes when the group is deleted, moved or locked.
  init(of group: AccessGroup) throws(SecretStoreError) {
    try self.init(name: "group-\(Digest.hex(group.qualifiedName)).version")
  }
}
