// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// The reason why an app's sign-out doesn't succeed: the app's list shows the account still.
///
/// An item of another program may have the account's tokens under a name that no record of the app has.
struct ListedStill: ErrorWithRemedy {
  let account: Account
  let client: String
  let group: AccessGroup

  var remedy: String {
    let name = account.username.isEmpty ? account.identifier : account.username
    let (account, client) = (
      ToolCommand.option("account", name), ToolCommand.option("client-id", client)
    )
    return "Sign all apps of the client out: "
      + "`\(ToolCommand.on(group, "sign-out")) \(account) \(client)`."
  }

  var error: SecretStoreError {
    SecretStoreError(
      .storageFailed,
      "The app is signed out, and its list shows the account still: another program wrote the item.",
      underlying: self)
  }
}
