// SPDX-License-Identifier: MIT

import SecretStoreCache

/// What keeps a tool's cache from being used, though nothing is wrong with the group.
package enum PartnerProblem: ErrorWithRemedy {
  /// The cache is in a locked keyring.
  case locked
  /// Another program has the lock.
  case busy
  /// The process that made the lock file has ended.
  case lockFileLeft(String)
  /// Something that is no regular file is where the lock file belongs.
  case noLockFile(String)
  /// A folder in which this user may not make files.
  case closedFolder(String)

  package var remedy: String {
    switch self {
    case .locked:
      "Unlock that keyring: sign in to the desktop with your password, or unlock it in Passwords and Keys."
    case .busy: "Try again; if it stays so, end the program that holds the lock."
    case .lockFileLeft(let path): "rm \(ShellWord.quoted(path)), and try again."
    case .noLockFile(let path):
      "mv \(ShellWord.quoted(path)) \(ShellWord.aside(path)), and try again."
    case .closedFolder(let folder): "\(FileOwner.makingWritable(folder)), and try again."
    }
  }
}
