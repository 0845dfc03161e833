// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension FileLock {
  /// Makes the files of the locks that a refresh and its save take.
  ///
  /// They are made before the refresh token is sent: where one can't be made, the new token could not be saved.
  package static func makeFiles(ofRefresh key: RecordKey, in group: AccessGroup) throws(SecretStoreError) {
    var locks = [Purpose.refresh, .write].map { FileLock($0, of: key, in: group) }
    locks += [GroupCreator.creation(of: group), optimisticWrites(of: group)]
    if key.kind == .credentials, key.hasFamilies {
      // The response may bring the refresh token of Microsoft's family of clients.
      let family = RecordKey(
        kind: .family, account: key.account, environment: key.environment, familyID: "1")
      locks.append(FileLock(.write, of: family, in: group))
    }
    for lock in locks { try lock.makeFile() }
    try VersionFile.requireFileSize()
  }

  /// The lock of the apps that write a group optimistically: without a lock that all its writers share.
  static func optimisticWrites(of group: AccessGroup) -> FileLock {
    FileLock(.optimisticWrites, of: group)
  }
}
