// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// What mends a failure of which no more is known than its code.
enum GeneralRemedy {
  static let again = "Run sso-cache doctor again."

  static let signIn = "Sign in with one of the group's apps."

  static let restartProvider = "Restart the keyring daemon: log out and in again."

  /// What starts gnome-keyring with an open login keyring, which is made when there is none; it asks for its password, from whatever shell.
  static func startGnomeKeyring(replacing: Bool = false) -> String {
    #"bash -c 'read -rsp "Password: " p && printf %s "$p" | gnome-keyring-daemon "#
      + "\(replacing ? "--replace " : "")--unlock --components=secrets'"
  }

  /// What gives a process the runtime directory that the user's other programs have: systemd makes it with the login, or
  /// with the system for users who linger.
  static var runtimeDirectory: String {
    let usual = RuntimeDirectory.usual
    if RuntimeDirectory.isDirectoryOfOurs(usual) { return "export XDG_RUNTIME_DIR=\(usual)" }
    return FileReader().information("/run/systemd/system", followsLink: false) == nil
      ? "sudo install -d -m 700 -o \(getuid()) \(usual)" : "sudo loginctl enable-linger \(getuid())"
  }

  static func text(for code: SecretStoreError.Code) -> String {
    switch code {
    case .timedOut, .leaseTimedOut, .serviceUnavailable: restartProvider
    case .groupLocked: "Unlock your keyring, by signing in to the desktop or with Passwords and Keys."
    case .storageFailed: "Check that there is space on the disk of your home, and that it can be written."
    default: again
    }
  }
}
