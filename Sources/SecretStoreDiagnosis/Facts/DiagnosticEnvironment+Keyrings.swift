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

  /// The keyrings that a new daemon is to open: those of the running one, unless it has no login keyring and a folder
  /// that the shell's variables lead to has one.
  ///
  /// Where the shell has the daemon's variables, the next login has them, too.
  private var keyringsToOpen: KeyringFiles {
    let own = daemon.map { KeyringFiles(of: SystemProcess($0), environment: variables) }
    if let own, !own.isGuess, own.folder == KeyringFiles(environment: variables).folder { return own }
    let ofShell = [variables, variables.filter { $0.key != "XDG_DATA_HOME" }]
    let likely =
      [own].compactMap(\.self).filter { !$0.isGuess } + ofShell.map(KeyringFiles.init(environment:))
    return likely.first { $0.exists(KeyringFiles.login) } ?? likely[0]
  }

  /// Returns a command that starts a daemon, with the variables that lead the daemon to the keyrings that it is to open
  /// where those of the shell do not.
  func leadingToKeyrings(_ command: String) -> String {
    let files = keyringsToOpen
    if KeyringFiles(environment: variables).folder == files.folder { return command }
    let others = KeyringFiles.variableNames.filter { files.variables[$0] != variable($0) }
    let unset = others.filter { files.variables[$0] == nil }.map { "-u \($0)" }
    let set = others.compactMap { name in files.variables[name].map { ShellWord.quoted("\(name)=\($0)") } }
    return "env \((unset + set).joined(separator: " ")) \(command)"
  }
}
