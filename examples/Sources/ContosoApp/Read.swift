// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import Foundation
import SecretStoreCache

/// The command that does the app's work, for which it needs an access token.
///
/// It never prompts the user.
struct Read<App: SuiteApp>: AppSubcommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "read", abstract: "Get a token silently, to read something with it.")
  }

  @OptionGroup var options: SuiteOptions

  @Option(name: .customLong("account"), help: "The user name, if several people are signed in.")
  var username: String?

  func run(_ identity: any Identity) async throws {
    let result = try await identity.read(username: username)
    let way =
      switch result.source {
      case .cache: "from the cache"
      case .refresh: "by a refresh"
      case .broker: "from the identity broker"
      case .signIn: "by a sign-in"
      }
    let seconds = Int(result.expiresOn.timeIntervalSinceNow.rounded())
    say("got a token for \(result.username) \(way), good for \(seconds) s")
    if let error = result.saveError { say("the token could not be stored: \(error.localizedDescription)") }
  }
}
