// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import Foundation
import SecretStoreCache

/// The command that the desktop runs to open a URL of the app's scheme.
///
/// It passes the URL to the sign-in that waits for it.
struct Open<App: SuiteApp>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "open", abstract: "Hand a URL that was opened to the sign-in that waits for it.")
  }

  @Argument(help: "The URL.")
  var url: String

  func run() throws {
    let app = try AppEntitlements(propertyList: App.entitlements).app
    do throws(SignInError) {
      try RedirectPipe.send(url, to: app)
    } catch {
      FileHandle.standardError.write(Data("\(App.name): \(error)\n".utf8))
      throw ExitCode.failure
    }
  }
}
