// SPDX-License-Identifier: MIT

package import KeychainGroupModel
import UnifiedCache

/// Several accounts that have the name by which one was looked for: what names each of them alone.
///
/// An identifier names one account of an environment. Two clouds, or two issuers, can have an account of one
/// identifier.
package struct AmbiguousAccounts: Error, Hashable {
  package struct Choice: Hashable, Sendable {
    /// The identifier; the user name of an account without one.
    package let name: String
    package let environment: String

    package init(name: String, environment: String) { (self.name, self.environment) = (name, environment) }
  }

  package let choices: [Choice]

  package init(_ choices: [Choice]) { self.choices = choices }

  /// The error for the caller, which names the choices.
  package var storeError: SecretStoreError {
    // Other identifiers than Azure AD's are in no error.
    let candidates = choices.map {
      HomeAccountID($0.name).isAzureAD ? "\($0.name) at \($0.environment)" : "one at \($0.environment)"
    }
    return SecretStoreError(
      .ambiguousAccount,
      "Several accounts fit; one is named by its identifier and environment: \(candidates.joined(separator: ", ")).",
      underlying: self)
  }
}

extension Account {
  /// Returns the only account or `nil` for none; throws `ambiguousAccount` for several.
  package static func single(_ accounts: [Account]) throws(SecretStoreError) -> Account? {
    guard accounts.count > 1 else { return accounts.first }
    throw AmbiguousAccounts(
      accounts.map {
        .init(name: $0.identifier.isEmpty ? $0.username : $0.identifier, environment: $0.environment)
      }
    ).storeError
  }
}

extension [Account] {
  /// Returns the accounts with an identifier, compared exactly; if there is none, those with a user name, ignoring
  /// case.
  ///
  /// Every user name counts under which the group holds an account, because each client's list shows its own.
  package func named(_ name: String) -> [Account] {
    let identified = identified(by: name)
    if !identified.isEmpty { return identified }
    let username = Username(name)
    return filter { $0.hasName(username) }
  }

  /// Returns the accounts with an identifier, compared exactly.
  package func identified(by identifier: String) -> [Account] {
    let stored = RecordKey.storedAccount(identifier)
    return filter { RecordKey.storedAccount($0.identifier) == stored }
  }
}
