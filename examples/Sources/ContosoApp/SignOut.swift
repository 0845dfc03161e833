// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import SecretStoreCache

/// The command that signs out this app and no other.
struct SignOut<App: SuiteApp>: AppSubcommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "sign-out", abstract: "Sign this app out; the others stay signed in.")
  }

  @OptionGroup var options: SuiteOptions

  @Option(name: .customLong("account"), help: "The user name, if several people are signed in.")
  var username: String?

  func run(_ identity: any Identity) async throws {
    guard let name = try await identity.signOut(username: username) else { return say("nobody is signed in") }
    say("signed out of \(name)")
  }
}
