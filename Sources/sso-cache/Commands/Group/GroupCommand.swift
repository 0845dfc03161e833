// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache group`: the collection behind an access group.
struct GroupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group",
    abstract: "Make, open, lock, move and remove an access group.",
    discussion: """
      Apps need none of it: a group is made with the first save and opened without a word. No dialog opens unless \
      --prompt allows it.

      Examples:
        sso-cache group create --group com.contoso.shared --publisher contoso
        sso-cache group unlock --group com.contoso.shared --prompt
      """,
    subcommands: [
      GroupCreate.self, GroupUnlock.self, GroupLock.self, GroupMove.self, GroupReset.self, GroupDelete.self,
    ])
}

/// Whether a command may let the Secret Service open a dialog.
struct PromptOptions: ParsableArguments {
  @Flag(help: "Let the Secret Service ask for a password, if there is no other way.")
  var prompt = false

  @Option(
    help: ArgumentHelp(
      "The window that a dialog belongs to: an X11 id in decimal, or an xdg-foreign handle.",
      valueName: "handle"
    ))
  var parentWindow = ""

  @Option(help: ArgumentHelp("By when a dialog has to be answered.", valueName: "seconds"))
  var timeLimit = 60

  func validate() throws {
    guard (1...3600).contains(timeLimit) else {
      throw ValidationError("The time limit is not between 1 and 3600 seconds.")
    }
  }

  var interaction: Interaction {
    prompt ? .allowed(parentWindow: parentWindow, timeLimit: .seconds(timeLimit)) : .never
  }
}
