// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import SecretStoreCache

/// The command that the desktop runs to open a URL of the app's scheme.
///
/// It passes the URL to the sign-in that waits for it.
struct Open<App: SuiteApp>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "open", abstract: "Hand a URL that was opened to the sign-in that waits for it.")
  }

  @Argument(help: "The URL.")
  var url: String

  func run() async throws {
    let app = try AppEntitlements(propertyList: App.entitlements).app
    do {
      try await RedirectHandler.forward(url, to: app)
    } catch let error as SecretStoreError {
      FileHandle.standardError.write(Data("\(App.name): \(error.detail)\n".utf8))
      throw ExitCode.failure
    }
  }
}
