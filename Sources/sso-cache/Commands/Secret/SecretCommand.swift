// SPDX-License-Identifier: MIT

import ArgumentParser

/// The command `sso-cache secret`, which manages an app's own secrets.
struct SecretCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secret",
    abstract: "Keep an app's own secrets in a group, by service and account.",
    discussion: """
      Secrets are read from standard input, or from the terminal without echo, and never from an argument. With \
      --entitlements a search goes over all of the app's groups, and a secret is set in the one listed first, \
      unless --group says otherwise.

      Examples:
        sso-cache secret set --group com.contoso.shared --service imap --account ada
        printf %s "$password" | sso-cache secret set --service imap
        sso-cache secret get --group com.contoso.shared --service imap --account ada
      """,
    subcommands: [SecretSet.self, SecretGet.self, SecretList.self, SecretRemove.self])
}

/// The options that identify a secret.
struct SecretOptions: ParsableArguments {
  @Option(help: "What the secret is for, such as a host.")
  var service: String

  @Option(help: "Whose secret it is there; none by default.")
  var account = ""
}
