// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import SecretStoreCache

/// A check that every existing lock file can be opened.
struct LockFilesCheck: Sendable {
  let folder: String

  /// - Returns: The problem with the first lock file that can't be opened; `nil` when all can.
  func run() -> CheckResult? {
    for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    where name.hasSuffix(".lock") || name.hasSuffix(".version") {
      let path = "\(folder)/\(name)"
      guard let problem = LockFile.problem(at: path) else { continue }
      return .error(.storageFailed, problem, remedy: remedy(path))
    }
    return nil
  }

  /// Returns the command that corrects the mode of a regular file of the user, or moves any other file aside.
  ///
  /// The next lock then creates a new file.
  private func remedy(_ path: String) -> String {
    let file = ShellWord.quoted(path)
    let info = FileReader().information(path, followsLink: false)
    if let info, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid(), info.st_nlink == 1 {
      return "chmod 600 \(file)"
    }
    return "mv \(file) \(file).aside"
  }
}
