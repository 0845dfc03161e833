// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// A keyring's file that is a link, which the daemon would replace with the next save of the keyring.
///
/// gnome-keyring 42.1 makes tens of thousands of links to the link first, and replies to nobody meanwhile. Afterwards
/// its file is newer than the link's target, which the remedy's command must not put over it.
package struct LinkedKeyringFile: ErrorWithRemedy {
  private let path: String
  private let target: String

  /// Returns `nil` for a file that is no link, or one that leads nowhere.
  package init?(path: String) {
    let info = FileReader().information(path, followsLink: false)
    guard info.map({ $0.st_mode & S_IFMT == S_IFLNK }) == true,
      FileReader().information(path, followsLink: true) != nil, let target = PrivateFolder.resolved(path)
    else { return nil }
    (self.path, self.target) = (path, target)
  }

  package var detail: String {
    "\(path) is a link to \(target). With the next save the keyring daemon makes thousands of links beside it, replies"
      + " to nobody meanwhile, and then writes a file in its place."
  }

  package var remedy: String {
    let (link, content) = (ShellWord.quoted(path), ShellWord.quoted(target))
    return "test -L \(link) && cp --remove-destination --preserve=mode \(content) \(link)"
  }
}
