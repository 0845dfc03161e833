// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import SecretStoreCache
import StrictJSON

/// The command `sso-cache secret get`.
struct SecretGet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print a secret.",
    discussion: """
      The secret is printed as it is, with a line feed behind it on a terminal only. Status 1 says that there is \
      none. With --json, a secret that is no text is in "base64".

      Examples:
        sso-cache secret get --service imap.contoso.com --account ada
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var name: SecretOptions

  func run() async throws {
    let secrets = try options.openSecrets()
    guard let secret = try await secret(in: secrets) else { throw SecretAbsent() }
    if options.json {
      var members: JSONObject = ["service": .string(name.service), "account": .string(name.account)]
      members["secret"] = secret.text.map(JSONValue.string)
      if secret.text == nil { members["base64"] = .string(secret.data.base64EncodedString()) }
      return Printer.json(.object(members))
    }
    Printer.write(Array(secret.data) + (Printer.isTerminal ? [UInt8(ascii: "\n")] : []))
  }

  /// Reads the secret, also from an item to which another program has given other attributes: lists show it.
  private func secret(in secrets: AppSecrets) async throws -> Secret? {
    let (service, account, group) = (name.service, name.account, options.group)
    if let secret = try await secrets.get(service: service, account: account, from: group) { return secret }
    for place in try secrets.keys(service: service, account: account, from: group) {
      try await GroupOptions.store.correctAttributes(ofItemsHolding: place.key, in: place.group)
    }
    return try await secrets.get(service: service, account: account, from: group)
  }
}
