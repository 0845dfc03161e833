// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension VersionFile {
  /// The version of a record: it stands in the file of its write lock, whose holder alone changes it.
  init(of key: RecordKey, in group: AccessGroup) throws(SecretStoreError) {
    try self.init(name: FileLock("write", of: key, in: group).fileName)
  }

  /// The version of a group as a whole: another one after it was deleted, moved or locked.
  init(of group: AccessGroup) throws(SecretStoreError) {
    try self.init(name: "group-\(Digest.hex(group.description)).version")
  }
}
