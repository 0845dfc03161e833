// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The options that permit a prompt of the Secret Service.
struct PromptOptions: ParsableArguments {
  @Flag(help: "Let the Secret Service ask for a password, if there is no other way.")
  var prompt = false

  @Option(
    help: ArgumentHelp(
      "The window that a dialog belongs to: an X11 id in decimal, or an xdg-foreign handle.",
      valueName: "handle"
    ))
  var parentWindow = ""

  @Option(help: ArgumentHelp("The time limit for the prompt.", valueName: "seconds"))
  var timeLimit = 60

  func validate() throws {
    guard (1...3600).contains(timeLimit) else {
      throw ValidationError("The time limit is not between 1 and 3600 seconds.")
    }
  }

  var promptPolicy: PromptPolicy {
    prompt ? .allowed(parentWindow: parentWindow, timeLimit: .seconds(timeLimit)) : .never
  }
}
