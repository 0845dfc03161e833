// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension FileLock {
  /// Creates the lock of one record for a purpose; its name reveals neither the group nor the account.
  package init(_ purpose: Purpose, of key: RecordKey, in group: AccessGroup) {
    let parts =
      [group.publisher?.name ?? "", group.name]
      + ItemAttributes.all(key, in: group).sorted { $0.key < $1.key }.map(\.value)
    self.init(name: "\(purpose.rawValue)-\(Digest.hex(parts.joined(separator: "\n")))")
  }

  /// The lock of a group as a whole.
  init(_ purpose: Purpose, of group: AccessGroup) {
    self.init(name: "\(purpose.rawValue)-\(Digest.hex(group.qualifiedName))")
  }
}
