// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import Foundation
import SecretStoreCache

/// What an app's commands have in common: they do one thing, and end with a status that says how it went.
protocol AppSubcommand: AsyncParsableCommand {
  associatedtype App: SuiteApp
  var options: SuiteOptions { get }
  /// Does the command's work.
  func run(_ identity: any Identity) async throws
}

extension AppSubcommand {
  func run() async throws {
    do {
      try await run(options.identity(for: App.self))
    } catch {
      FileHandle.standardError.write(Data("\(App.name): \(Advice(error, for: App.self))\n".utf8))
      throw Advice(error, for: App.self).status
    }
  }

  func say(_ text: String) { print("\(App.name): \(text)") }
}
