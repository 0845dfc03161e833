// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

extension DiagnosticEnvironment {
  /// The command that makes the folder of keyrings again, into which the daemon then writes what it holds.
  ///
  /// It is `nil` where the folder is there, where only the mode of the folder above it is in the way, and in a sandbox,
  /// where it need not be visible.
  var makingKeyrings: String? {
    let folder = keyrings.folder
    guard sandbox == nil, FileReader().information(folder, followsLink: false) == nil else { return nil }
    let above = FileOwner.existing(above: folder)
    let missing = folder.dropFirst(above.count).split(separator: "/")
    let making = "mkdir \(missing.count > 1 ? "-p " : "")-m 700 \(ShellWord.quoted(folder))"
    if unsafe access(above, W_OK | X_OK) == 0 { return making }
    guard let first = missing.first, FileReader().information(above, followsLink: true)?.st_uid != geteuid()
    else { return nil }
    // As the home itself, in a folder of root's.
    return "sudo install -d -m 700 -o \(geteuid()) \(ShellWord.quoted("\(above)/\(first)")) && \(making)"
  }
}
