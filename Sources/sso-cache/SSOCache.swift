// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The tool: shows what the apps of an access group share, and lets the person at the keyboard change it.
@main
struct SSOCache: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sso-cache",
    abstract: "Show and manage the sign-ins that apps share through the Secret Service.",
    discussion: """
      Examples:
        sso-cache groups
        sso-cache group unlock --group com.contoso.shared --prompt
        sso-cache accounts --group com.contoso.shared --publisher contoso
        sso-cache token --client-id C --account ada@contoso.com --scope mail.read
        sso-cache sign-out --client-id C --account ada@contoso.com
        sso-cache watch --json
        sso-cache import --format msal token_cache.json
        sso-cache export --format msal > token_cache.json
        sso-cache secret set --group com.contoso.shared --service imap --account ada
        sso-cache apps
        sso-cache doctor
        sso-cache run -- bash

      Tables fit the terminal, and titles and states are in colour there, unless NO_COLOR is set.

      Exit status: 0 done, 1 other failure, 10 interaction required, 11 declined scopes, 12 ambiguous account, \
      64 usage, 65 bad input or corrupt item, 69 no Secret Service, 74 storage or network failed, 75 locked, \
      dismissed or timed out, 77 not entitled, 78 group unrecoverable, 130 cancelled.
      """,
    subcommands: [
      Groups.self, GroupCommand.self, Accounts.self, Token.self, SignOut.self, Watch.self, Import.self,
      Export.self,
      SecretCommand.self,
      AppsCommand.self, Doctor.self, Run.self, KeyringStateCommand.self,
    ])

  @MainActor
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst().prefix { $0 != "--" })
    LogOptions.bootstrap(isVerbose: arguments.contains("--verbose") || arguments.contains("-v"))
    // Connecting is mostly waiting, for which there is time while the arguments are read.
    if arguments.first == "token" { Task.detached { await GroupOptions.store.connect() } }
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      Failure(error).report(asJSON: arguments.contains("--json"), as: self)
    }
  }
}
