// SPDX-License-Identifier: MIT

import ArgumentParser

/// The command line of every app of the suite.
struct SuiteCommand<App: SuiteApp>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: App.command,
      abstract: "Contoso \(App.name): an app that shares its sign-in with the rest of the suite.",
      discussion: """
        Exit status: 0 done, 10 somebody has to sign in, 77 the app does not list the access group, \
        64 usage, 1 any other failure.
        """,
      subcommands: [SignIn<App>.self, Read<App>.self, Accounts<App>.self, SignOut<App>.self, Open<App>.self])
  }
}
