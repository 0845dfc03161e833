// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import SecretStoreCache

/// Remedies for failures of which only the error code is known.
enum GeneralRemedy {
  static let again = "Run sso-cache doctor again."

  static let signIn = "Sign in with one of the group's apps."

  static let withoutSudo = "Run it without sudo."

  static let findLockHolder = "Run sso-cache doctor: it says which program holds the lock."

  static var restartProvider: String { "Restart the keyring daemon: \(NewLogin.words)." }

  /// Returns the command for a process that others wait for: it continues the process if a signal has stopped it, ends
  /// the debugger that has stopped it, and ends the process otherwise.
  ///
  /// - Parameters:
  ///   - process: The process ID.
  ///   - command: The command that ends it.
  static func ending(_ process: Int, with command: String = "kill") -> String {
    let stuck = SystemProcess(process)
    if let debugger = stuck.debugger { return "kill \(debugger)" }
    return stuck.isStopped ? "kill -CONT \(process)" : "\(command) \(process)"
  }

  /// Returns the command that starts gnome-keyring with an unlocked login keyring.
  ///
  /// The command asks for the password, which may begin or end with a space, works in any shell, and creates the login
  /// keyring when there is none.
  static func startGnomeKeyring(replacing: Bool = false) -> String {
    #"bash -c 'IFS= read -rsp "Password: " p && printf %s "$p" | gnome-keyring-daemon "#
      + "\(replacing ? "--replace " : "")--unlock --components=secrets'"
  }

  /// The command that gives a process the runtime directory of the user's other programs.
  ///
  /// It is the one with the session bus's socket, `bus`, where that is private, or else the login's. A proxy's socket
  /// has another name. systemd creates the login's at login, or at boot for users with lingering enabled.
  static var runtimeDirectory: String {
    let environment = ProcessEnvironment.current
    if let folder = SessionBusFolder(environment) { return folder.remedy(in: environment) }
    // A relative one is another folder for each program.
    let own = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? PrivateFolder.resolved($0) : nil }
    let usual = RuntimeDirectory.usual
    let ofBus = RuntimeDirectory.foldersOfBus(environment).filter {
      unsafe PrivateFolder.state(of: $0) == .secure && $0 != own && access("\($0)/bus", F_OK) == 0
    }
    // One that can't be written is no better than the login's, unless that is the present one.
    let better = ofBus.first { unsafe access($0, W_OK) == 0 } ?? (own == usual ? ofBus.first : nil)
    if let better { return "export XDG_RUNTIME_DIR=\(ShellWord.quoted(better))" }
    let export = "export XDG_RUNTIME_DIR=\(usual)"
    if PrivateFolder.state(of: usual) == .secure { return export }
    let made =
      FileReader().information("/run/systemd/system", followsLink: false) == nil
      ? "sudo install -d -m 700 -o \(getuid()) \(usual)" : "sudo loginctl enable-linger \(getuid())"
    return "\(made) && \(export)"
  }

  static func text(for code: SecretStoreError.Code) -> String {
    switch code {
    case .timedOut, .serviceUnavailable: restartProvider
    case .lockTimedOut: findLockHolder
    case .groupLocked: "Unlock your keyring, by signing in to the desktop or with Passwords and Keys."
    case .storageFailed: "Check that there is space on the disk of your home, and that it can be written."
    default: again
    }
  }
}
