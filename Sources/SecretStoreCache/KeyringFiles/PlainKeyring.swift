// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A group's keyring whose file is not encrypted, as after it got an empty password in Passwords and Keys.
///
/// Every program can read such a file, and write one, so that no call of an app opens it.
package struct PlainKeyring: ErrorWithRemedy, Sendable, Hashable {
  let group: AccessGroup
  /// The path of its file.
  package let path: String

  /// Moves what is in it into an encrypted keyring.
  package var remedy: String {
    "If it is yours, move it into an encrypted keyring: \(ToolCommand.fix(group))"
  }
}
