// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import SecretStoreCache

/// Signs somebody in with the browser.
struct SignIn<App: SuiteApp>: AppSubcommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "sign-in", abstract: "Sign in with the browser.")
  }

  @OptionGroup var options: SuiteOptions

  func run(_ client: PublicClient) async throws {
    let account = try await client.signIn(scopes: options.requested)
    say("signed in as \(account.username)")
  }
}
