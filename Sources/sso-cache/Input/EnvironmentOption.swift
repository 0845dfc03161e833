// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The option that tells accounts of one name apart.
struct EnvironmentOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Of several accounts of that name the one of this environment, as accounts shows it.",
      valueName: "host|issuer"))
  var environment: String?

  /// Returns the accounts of the environment; all when none is named.
  func chosen(among accounts: [Account]) -> [Account] {
    guard let environment else { return accounts }
    return accounts.filter { CloudEnvironment.areSame($0.environment, environment) }
  }
}
