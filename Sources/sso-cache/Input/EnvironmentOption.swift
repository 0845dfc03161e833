// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The option that tells accounts of one name apart.
struct EnvironmentOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Of several accounts of that name the one of this environment, as accounts shows it, or of this authority.",
      valueName: "host|issuer"), transform: Self.parse)
  var environment: String?

  /// Returns the environment that a host, an issuer or the URL of an authority names.
  private static func parse(_ text: String) throws -> String {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("An environment is not blank.")
    }
    if Issuer.hostOfUnknown(text) != nil { return text }
    let isURL = text.contains("://")
    do {
      let authority = try Authority(isURL ? text : "https://\(text)")
      return isURL || text.contains("/") ? authority.environment : authority.host
    } catch {
      throw ValidationError("An environment is a host or an issuer. \(error.detail)")
    }
  }

  /// Returns the accounts of the environment; all when none is named.
  func chosen(among accounts: [Account]) -> [Account] {
    guard let environment else { return accounts }
    return accounts.filter { CloudEnvironment.areSame($0.environment, environment) }
  }
}
