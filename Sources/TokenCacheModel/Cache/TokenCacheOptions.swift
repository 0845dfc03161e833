// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import Logging

/// How a token cache behaves where MSAL's differ or can be told.
public struct TokenCacheOptions: Sendable {
  /// How long before its expiry an access token counts as expired, in seconds; 300 as in MSAL.
  public var expiryBuffer: TimeInterval = 300

  /// Whether an expired access token may be used while the server is down, if the server allows it
  /// (`ext_expires_in`).
  ///
  /// A resource must be ready to take such tokens.
  public var usesExtendedLifetime = false

  /// Whether sign-ins that ADAL keeps in the group are taken up, at Azure AD and AD FS.
  ///
  /// Its users are among the accounts then, and the first silent call for one redeems ADAL's refresh token. It costs
  /// one more search when accounts are listed, when one is looked for by its identifier, and in silent calls, until the
  /// app has used the account.
  public var sharesWithADAL = true

  /// Whether what a sign-in or a refresh brings is kept in ADAL's format, too, where ADAL has no refresh token of the
  /// client and user yet.
  ///
  /// For suites with apps of ADAL before 2.7, which can't read MSAL's format.
  public var seedsADAL = false

  /// Keeps this cache's access tokens apart from those of other apps of the client, as Intune asks.
  public var applicationIdentifier: String?

  /// Where else accounts are kept; see ``ExternalAccountProvider``.
  public var externalAccounts: [any ExternalAccountProvider] = []

  /// How long to wait before the one retry after a server error (status 500 to 599).
  public var retryDelay: Duration = .seconds(1)

  /// Where silent calls are logged, each from its beginning to its end: at `debug`, and what should be looked into at
  /// `warning`.
  ///
  /// No line holds a token, a user name or a secret.
  public var logger = Logger(label: "org.secretstorecache.TokenCache")

  /// Where the time of day is read.
  public var clock: any WallClock = SystemWallClock()

  /// The defaults.
  public init() {}
}
