// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import SecretStoreCache

/// Lists who is signed in.
struct Accounts<App: SuiteApp>: AppSubcommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "accounts", abstract: "List who is signed in.")
  }

  @OptionGroup var options: SuiteOptions

  func run(_ client: PublicClient) async throws {
    let accounts = try await client.accounts()
    if accounts.isEmpty { say("nobody is signed in") }
    for account in accounts { say(account.username) }
  }
}
