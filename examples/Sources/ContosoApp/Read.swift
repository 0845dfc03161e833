// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import Foundation
import SecretStoreCache

/// Does what the app is for, which takes an access token.
///
/// It never asks anybody for anything.
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
      }
    let seconds = Int(result.expiresOn.timeIntervalSinceNow.rounded())
    say("got a token for \(result.username) \(way), good for \(seconds) s")
    if let error = result.saveError { say("the token could not be stored: \(error)") }
  }
}
