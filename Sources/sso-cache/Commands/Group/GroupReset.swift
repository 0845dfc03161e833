// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group reset`.
struct GroupReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Make a group anew that nothing can open again.",
    discussion: """
      Of a group in several keyrings only those go that nothing opens. A group that can be opened whole is left as it \
      is, and that is an error.

      Examples:
        sso-cache group reset --group com.contoso.shared --publisher contoso
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  func run() async throws {
    let group = try options.open().backend.group
    let question =
      "Make \(group) anew? What is in its locked keyring is lost then, also to somebody who knows the password."
    guard try Confirmation.agrees(question, isGiven: yes) else { throw CancellationError() }
    let isEmpty = try await SecretStore().resetGroup(group, interaction: prompts.interaction)
    options.report(
      "reset", true,
      isEmpty
        ? "The group is empty; sign in again."
        : "What nothing could open is gone; sign in again where an account is missing.")
  }
}
