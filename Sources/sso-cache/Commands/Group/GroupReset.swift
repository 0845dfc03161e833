// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group reset`.
struct GroupReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Reset a group that can't be unlocked any more.",
    discussion: """
      Only the group's keyrings that can't be unlocked are removed. gnome-keyring's file is kept with the suffix \
      .keyring.lost, and a number behind it where that name is in use; it can be restored with its password, which a \
      backup of the login keyring may contain. Nothing is removed where the file can't be kept, or where others have \
      items in such a keyring. If all of the group can be unlocked, nothing is changed and the command fails.

      Examples:
        sso-cache group reset --group com.contoso.shared --publisher com.contoso
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  func run() async throws {
    let group = try options.open().group
    let question =
      "Reset \(group)? The file of its locked keyring is kept as NAME.keyring.lost, or with a number behind that; only its"
      + " password opens it."
    guard try await GroupRemovalQuestion.agrees(question, group, isConfirmed: yes) else {
      throw CancellationError()
    }
    let store = SecretStore()
    let files = try await store.keyringFiles()
    let former = files.kept(labelled: group.name)
    func left() -> [String] {
      files.kept(labelled: group.name).filter { !former.contains($0) }.map(GroupDelete.kept)
    }
    do {
      try await store.resetGroup(group, promptPolicy: prompts.promptPolicy)
    } catch let error as SecretStoreError where !left().isEmpty {
      throw SecretStoreError(
        error.code, ([error.detail] + left()).joined(separator: " "), underlying: error.underlying)
    }
    GroupDelete.report(
      "reset", true, "The locked keyrings were removed. Sign in again where an account is missing.", left(),
      isJSON: options.json)
  }
}
