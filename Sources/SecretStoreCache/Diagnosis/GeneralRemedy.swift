// SPDX-License-Identifier: MIT

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

  static func text(for code: SecretStoreError.Code) -> String {
    switch code {
    case .timedOut, .leaseTimedOut, .serviceUnavailable: restartProvider
    case .groupLocked: "Unlock your keyring, by signing in to the desktop or with Passwords and Keys."
    case .storageFailed: "Check that there is space on the disk of your home, and that it can be written."
    default: again
    }
  }
}
