// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension FileLock {
  /// Makes the files of the locks that a refresh and its save take.
  ///
  /// They are made before the refresh token is sent: where one can't be made, the new token could not be saved.
  package static func makeFiles(ofRefresh key: RecordKey, in group: AccessGroup) throws(SecretStoreError) {
    let ofRecord = ["refresh", "write"].map { FileLock($0, of: key, in: group) }
    for lock in ofRecord + [GroupCreator.creation(of: group), window(of: group)] { try lock.makeFile() }
  }

  /// The lock of the apps that write a group without a lock that all its writers share.
  static func window(of group: AccessGroup) -> FileLock {
    FileLock(name: "window-\(Digest.hex(group.description))")
  }
}
