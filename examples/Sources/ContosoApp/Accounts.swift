// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import SecretStoreCache

/// The command that lists the signed-in accounts.
struct Accounts<App: SuiteApp>: AppSubcommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "accounts", abstract: "List who is signed in.")
  }

  @OptionGroup var options: SuiteOptions

  func run(_ identity: any Identity) async throws {
    let usernames = try await identity.usernames()
    if usernames.isEmpty { say("nobody is signed in") }
    for username in usernames { say(username) }
  }
}
