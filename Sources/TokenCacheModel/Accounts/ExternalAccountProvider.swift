// SPDX-License-Identifier: MIT

public import UnifiedCache

/// A store of accounts outside the group, which an app's vendor provides.
///
/// Its accounts appear in the list of accounts. It is notified of updates and removals.
///
/// ```swift
/// var options = TokenCacheOptions()
/// options.externalAccounts = [SuiteDirectory()]
/// ```
///
/// A provider supplies no tokens. A silent call for an account that only a provider knows fails with
/// `interactionRequired`; use its user name as the hint for the sign-in. The calls run one after the other, in the
/// caller's task, without a timeout. Use a timeout of your own.
public protocol ExternalAccountProvider: Sendable {
  /// Returns the provider's accounts.
  ///
  /// When one provider fails, the accounts of all providers are left out of the list, as in MSAL: an incomplete list
  /// could be taken for a complete one.
  func accounts() async throws -> [Account]

  /// Stores an account that has signed in or whose token was refreshed.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - claims: The claims of the response's ID token, if there was one.
  func update(_ account: Account, claims: IDTokenClaims?) async throws

  /// Removes an account that this app has signed out of.
  func remove(_ account: Account) async throws
}
