// SPDX-License-Identifier: MIT

/// Where an app's maker keeps accounts outside of the group: they appear in the list, and are told of updates and
/// removals.
///
/// ```swift
/// var options = TokenCacheOptions()
/// options.externalAccounts = [SuiteDirectory()]
/// ```
///
/// No token comes from a provider: a silent call for an account that only a provider knows is `interactionRequired`, and
/// its user name is the hint for the sign-in. Calls are made one after the other, in the task of the caller, and bounded
/// by nothing: keep to a time limit of your own.
public protocol ExternalAccountProvider: Sendable {
  /// The accounts that are kept there.
  ///
  /// When one provider fails, those of all providers are left out of the list, as MSAL does: a part could be taken for
  /// the whole.
  func accounts() async throws -> [Account]

  /// Takes up an account that has signed in, or that a token was refreshed for.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - claims: The claims of the id token that came with it, if one did.
  func update(_ account: Account, claims: IDTokenClaims?) async throws

  /// Forgets an account that this app was signed out of.
  func remove(_ account: Account) async throws
}
