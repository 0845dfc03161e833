// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import Foundation
import SecretStoreCache

/// A command of an app.
///
/// It does one thing, and its exit status reports the result.
protocol AppSubcommand: AsyncParsableCommand {
  associatedtype App: SuiteApp
  var options: SuiteOptions { get }
  /// Runs the command.
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
