// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import Foundation
import SecretStoreCache

/// What the desktop runs when it opens a URL of the app's scheme: hands it to the sign-in that waits for it.
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
      try Mailbox.post(url, to: app)
    } catch {
      FileHandle.standardError.write(Data("\(App.name): \(error)\n".utf8))
      throw ExitCode.failure
    }
  }
}
