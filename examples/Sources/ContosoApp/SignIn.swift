// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import SecretStoreCache

/// The command that signs a user in with the browser.
struct SignIn<App: SuiteApp>: AppSubcommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "sign-in", abstract: "Sign in with the browser.")
  }

  @OptionGroup var options: SuiteOptions

  func run(_ identity: any Identity) async throws {
    say("signed in as \(try await identity.signIn())")
  }
}
