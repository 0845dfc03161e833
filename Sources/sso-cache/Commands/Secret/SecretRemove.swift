// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache secret remove`.
struct SecretRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a secret; one that is not there is no error.",
    discussion: """
      Examples:
        sso-cache secret remove --service imap.contoso.com --account ada
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var name: SecretOptions

  func run() async throws {
    let secrets = try options.openSecrets()
    var existed = false
    var failures = RecordFailures()
    let places = try secrets.keys(service: name.service, account: name.account, from: options.group)
    for place in places {
      try await failures.attempt(nil) {
        try await GroupOptions.store.correctAttributes(ofItemsNamed: place.key, in: place.group)
      }
    }
    try await failures.attempt(nil) {
      existed = try await secrets.remove(
        service: name.service, account: name.account, from: options.group)
    }
    for place in places {
      try await failures.attempt(nil) {
        existed = try await GroupOptions.store.completeRemoval(of: place.key, in: place.group) || existed
      }
    }
    try failures.check()
    if options.json { return Printer.json(.object(["removed": .bool(existed)])) }
    Printer.line(existed ? "Removed." : "There is no such secret; nothing to do.")
  }
}
