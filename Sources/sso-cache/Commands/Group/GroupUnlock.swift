// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import KeychainGroupModel
import SecretStoreCache

/// The command `sso-cache group unlock`.
struct GroupUnlock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Open a group, or the keyring and every group.",
    discussion: """
      Without a group, the login keyring and every group that is known are opened. Without a display, as over SSH, \
      --prompt asks for the password of gnome-keyring's login keyring on the terminal, and makes that keyring where \
      there is none.

      Examples:
        sso-cache group unlock --prompt
        sso-cache group unlock --group com.contoso.shared --prompt
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  /// Asks on the terminal for the login keyring's password where no dialog could be seen.
  func readPassword() throws {
    guard prompts.prompt, !Self.hasDisplay, isatty(STDIN_FILENO) == 1 else { return }
    try SecretInput.readLoginPassword(isNew: !KeyringFiles(of: nil).exists(KeyringFiles.login))
  }

  private static var hasDisplay: Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { ProcessEnvironment.current[$0]?.isEmpty == false }
  }

  func run() async throws {
    let password = SecretInput.secret
    if !password.isEmpty { try await SecretStore().openLoginKeyring(password: password) }
    if options.group == nil && options.publisher == nil && options.entitlements == nil {
      return try await unlockAll()
    }
    let group = try options.open().group
    let existed = try await SecretStore().unlockGroup(group, promptPolicy: prompts.promptPolicy)
    options.report(
      "unlocked", existed, existed ? "The group is open." : "There is no such group; nothing to do.")
  }

  private func unlockAll() async throws {
    let store = SecretStore()
    try await store.unlockKeyring(promptPolicy: prompts.promptPolicy)
    let groups = try await store.groups().compactMap(\.group)
    var failures: [(group: AccessGroup, error: SecretStoreError)] = []
    for group in groups {
      do {
        try await FurtherWaits.run(after: failures.map(\.error)) {
          try await store.unlockGroup(group, promptPolicy: prompts.promptPolicy)
        }
      } catch let error as SecretStoreError {
        failures.append((group, error))
      }
    }
    if let first = failures.first {
      Invocation.group = failures.count == 1 ? first.group : nil
      Invocation.concernsSeveralGroups = failures.count > 1
      throw SecretStoreError(
        first.error.code, failures.map(\.error.detail).joined(separator: " "),
        underlying: first.error.underlying)
    }
    if let locked = try await store.groups().first(where: \.isLocked) {
      throw SecretStoreError(
        .groupLocked,
        "The collection \(locked.collection) is still locked, and which group it has is not known.",
        underlying: UnknownGroup())
    }
    let what = groups.isEmpty ? "The keyring is open." : "The keyring is open, and so is every group."
    options.report("unlocked", true, what)
  }

  /// A collection of an unknown group that stays locked: to unlock every known group again does not open it.
  private struct UnknownGroup: ErrorWithRemedy {
    let remedy = "sso-cache doctor says what opens it."
  }
}
