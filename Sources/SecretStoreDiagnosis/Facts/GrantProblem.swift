// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// A file or folder of grants that the agent refuses, or a line of a file.
package struct GrantProblem: Sendable, Hashable {
  let path: String
  let line: Int?
  let explanation: String

  package init(path: String, line: Int?, explanation: String) {
    self.path = path
    self.line = line
    self.explanation = explanation
  }

  /// What makes the agent read it again; never a command that makes it accept what somebody else may have written.
  var remedy: String {
    if let line { return "Correct line \(line) of \(path)." }
    let file = ShellWord.quoted(path)
    let info = FileReader().information(path, followsLink: false)
    if let command = FileOwner.opening(path) { return command }
    guard let info, info.st_uid == geteuid(), [S_IFREG, S_IFDIR].contains(info.st_mode & S_IFMT),
      info.st_mode & 0o022 != 0
    else { return "Find out who made it, by ls -ld \(file), and move it away if it is not to count." }
    return "Look who may have written in it, by ls -ld \(file) and sso-cache grants; if only you have:"
      + " chmod go-w \(file)"
  }
}
