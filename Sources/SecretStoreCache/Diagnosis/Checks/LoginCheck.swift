// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether the login collection, which has the passwords of the groups, is there and open.
struct LoginCheck: Sendable {
  let client: SecretServiceClient
  /// A group whose opening would open the login collection; `nil` when there is none.
  let group: AccessGroup?

  static let name = "login"

  func find() async throws -> Finding {
    guard try await client.traits().offersGnomeInterface else {
      return .ok("This provider has no login keyring; the default collection counts.")
    }
    guard let login = try await client.collection(alias: "login"),
      let isLocked = try await client.isLocked(login)
    else {
      return .error(
        .serviceUnavailable, "There is no login keyring, so that no group can be made without a dialog.",
        remedy: GeneralRemedy.startGnomeKeyring(replacing: true))
    }
    if !isLocked { return .ok("The login keyring is open.") }
    return .error(
      .groupLocked, "The login keyring is locked: no group can be made, and none that is locked opens.",
      remedy: group.map { ToolCommand.on($0, "group unlock --prompt") }
        ?? "Sign in to the desktop with your password, or unlock Login in Passwords and Keys.")
  }
}
