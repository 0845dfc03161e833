// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// An item that another library has stored, and what it becomes in a group.
struct ForeignItem: Sendable {
  let path: ObjectPath
  let secret: NewSecret
}
