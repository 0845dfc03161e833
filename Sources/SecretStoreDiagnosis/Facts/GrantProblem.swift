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

  /// The command with which root opens a file of its own, as sudo may have made it, or another user's folder; `nil`
  /// where neither keeps this user from the grants.
  ///
  /// There is none for another user's file, whose grants would count then. In a folder of this user's, root must not
  /// follow a link, which another program may have put there meanwhile.
  private var openingByRoot: String? {
    let reader = FileReader()
    let closed = reader.information(path, followsLink: false) == nil ? FileOwner.existing(above: path) : path
    guard let info = reader.information(closed, followsLink: false), info.st_uid != geteuid(),
      info.st_mode & S_IFMT == S_IFDIR || info.st_mode & S_IFMT == S_IFREG && info.st_uid == 0,
      unsafe access(closed, R_OK) != 0
    else { return nil }
    let above = closed.lastIndex(of: "/").map { String(closed[..<$0]) } ?? "/"
    let isInOwnFolder = reader.information(above, followsLink: true)?.st_uid == geteuid()
    return "sudo \(isInOwnFolder ? "chown -h $(id -u)" : "chmod a+rX") \(ShellWord.quoted(closed))"
  }

  /// What makes the agent read it again; never a command that makes it accept what somebody else may have written.
  var remedy: String {
    if let line { return "Correct line \(line) of \(path)." }
    let file = ShellWord.quoted(path)
    let info = FileReader().information(path, followsLink: false)
    if let command = FileOwner.opening(path) { return command }
    if let command = openingByRoot { return "If the grants there shall count: \(command)" }
    guard let info, info.st_uid == geteuid(), [S_IFREG, S_IFDIR].contains(info.st_mode & S_IFMT),
      info.st_mode & 0o022 != 0
    else { return "Find out who made it, by ls -ld \(file), and move it away if it is not to count." }
    return "Look who may have written in it, by ls -ld \(file) and sso-cache grants; if only you have:"
      + " chmod go-w \(file)"
  }
}
