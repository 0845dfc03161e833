// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A keyring that can't be opened and that no reset removes, because others may have items in it.
package struct UnremovableKeyring: ErrorWithRemedy, Sendable, Hashable {
  let group: AccessGroup
  let label: String
  /// The path of its file; `nil` where it is not visible, as in a sandbox.
  let file: String?
  /// The folder of the login keyring, beside which a backup of it goes.
  let files: KeyringFiles

  /// What the user can do, without losing what others have in the keyring where that is possible.
  package var remedy: String {
    let rest =
      file.map { "move \(ShellWord.quoted($0)) to another folder, where it waits for its password," }
      ?? "delete the keyring \(label) in Passwords and Keys, with what others have in it,"
    return
      "\(ToolCommand.recover(group, files)). Where there is neither, \(rest) then"
      + " \(NewLogin.words), and sign in with one of the group's apps."
  }
}

extension ToolCommand {
  /// Returns the ways to open a group whose password is gone from the login keyring.
  ///
  /// A backup of that keyring goes beside the present one, which has what was stored since.
  package static func recover(_ group: AccessGroup, _ files: KeyringFiles) -> String {
    "If you know its password, run \(on(group, "group unlock --prompt")); or \(restoringLogin(for: group, files))"
  }

  /// Returns how a backup of the login keyring opens a keyring of the group.
  package static func restoringLogin(for group: AccessGroup, _ files: KeyringFiles) -> String {
    let login = files.path(of: KeyringFiles.login)
    let backup = files.path(of: KeyringFiles.loginBackup)
    return "copy a backup of \(login) to \(backup), \(NewLogin.words), run"
      + " \(on(group, "group unlock --prompt")), and then \(fix(group))"
  }
}
