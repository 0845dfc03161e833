// SPDX-License-Identifier: MIT

import UnifiedCache

/// The accounts of a tool's cache as MSAL Python tells them apart: its keys are in lower case.
///
/// Outside of Azure AD identifiers can differ by letter case only. The entries of such accounts have the same keys.
struct MSALPythonAccounts {
  private var identifiers: [String: Set<String>] = [:]

  init(_ document: CacheDocument) {
    for credential in document.credentials { insert(credential.homeAccountID, credential.environment) }
    for account in document.accounts { insert(account.homeAccountID, account.environment) }
  }

  /// Returns whether no other account has the keys of an account, which then has them.
  mutating func take(_ identifier: String, _ environment: String) -> Bool {
    let compared = HomeAccountID(identifier).compared
    let others = identifiers[Self.key(identifier, environment), default: []].subtracting([compared])
    if others.isEmpty { insert(identifier, environment) }
    return others.isEmpty
  }

  private mutating func insert(_ identifier: String, _ environment: String) {
    identifiers[Self.key(identifier, environment), default: []].insert(HomeAccountID(identifier).compared)
  }

  private static func key(_ identifier: String, _ environment: String) -> String {
    "\(identifier.lowercased())\0\(CloudEnvironment.canonical(environment))"
  }
}
