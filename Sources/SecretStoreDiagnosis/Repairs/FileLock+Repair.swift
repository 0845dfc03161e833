// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

extension FileLock {
  /// The lock under which a group is repaired, and checked: a repair that runs looks like damage.
  static func repair(of group: AccessGroup) -> FileLock {
    FileLock(.repair, of: RecordKey(kind: .group), in: group)
  }
}
