// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache secret set`.
struct SecretSet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Store a secret, in place of the one that is there.",
    discussion: """
      One line feed at the end of standard input is left out, so that echo can be piped; --exact stores the input \
      to the byte. A secret has at most 1 MiB; one that is empty is refused.

      Examples:
        sso-cache secret set --service imap.contoso.com --account ada
        pass show mail | sso-cache secret set --service imap.contoso.com --account ada
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var name: SecretOptions

  @Option(help: "What a person reads in Passwords and Keys; some providers store it in clear.")
  var label: String?

  @Flag(help: "Store standard input to the byte.")
  var exact = false

  @Flag(help: "Store an empty secret, too.")
  var allowEmpty = false

  /// Reads the secret.
  ///
  /// It must run while the process has a single thread, because ``SignalReceiver`` blocks signals for the calling
  /// thread.
  func readSecret() throws { try SecretInput.read(isExact: exact, allowsEmpty: allowEmpty) }

  func run() async throws {
    let secret = SecretInput.secret
    let secrets = try options.openSecrets()
    try await secrets.set(
      secret, service: name.service, account: name.account, label: label, in: options.group)
    if options.json { Printer.json(.object(["stored": true])) } else { Printer.line("Stored.") }
  }
}
