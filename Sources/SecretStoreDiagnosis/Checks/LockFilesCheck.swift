// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import SecretStoreCache

/// A check that every existing lock file can be opened.
struct LockFilesCheck: Sendable {
  let folder: String

  /// - Returns: The problem with the lock files that can't be opened; `nil` when all can.
  func run() -> CheckResult? {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    let paths = names.filter { $0.hasSuffix(".lock") || $0.hasSuffix(".version") }.map { "\(folder)/\($0)" }
    let broken = paths.compactMap { path in LockFile.problem(at: path).map { (path: path, problem: $0) } }
    guard let first = broken.first else { return nil }
    let others = broken.count - 1
    let more = others == 0 ? "" : " \(Quantity.of(others, "more lock file")) can't be used either."
    return .error(
      .storageFailed, first.problem + more, remedy: broken.map { remedy($0.path) }.joined(separator: " && "))
  }

  /// Returns the command that corrects the attributes or the mode of a regular file of the user, or moves any other
  /// file aside.
  ///
  /// The next lock then creates a new file.
  private func remedy(_ path: String) -> String {
    let file = ShellWord.quoted(path)
    let info = FileReader().information(path, followsLink: false)
    if let info, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid(), info.st_nlink == 1 {
      return ClosingAttribute(of: path)?.remedy ?? "chmod 600 \(file)"
    }
    return "mv \(file) \(ShellWord.aside(path))"
  }
}
