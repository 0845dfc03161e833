// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel
public import Logging
public import UnifiedCache

/// The options of a token cache, for behavior that differs between MSAL's platforms or is configurable there.
public struct TokenCacheOptions: Sendable {
  /// The number of seconds before its expiry from which an access token counts as expired; 300 as in MSAL.
  public var expiryBuffer: TimeInterval = 300

  /// Whether an expired access token may be used while the server is down, if the server allows it (`ext_expires_in`).
  ///
  /// The resource must accept such tokens.
  public var usesExtendedLifetime = false

  /// The capabilities of the client that every token request names, such as `["cp1"]`.
  ///
  /// A client with `cp1` handles claims challenges; its resources may then use Continuous Access Evaluation. Unlike
  /// ``SilentParameters/claims``, capabilities leave the use of the cache as it is. ``claims(adding:)`` gives them to
  /// your own requests.
  public var clientCapabilities: [String] = []

  /// The application identifier that separates this cache's access tokens from those of other apps of the client, as
  /// Intune requires.
  public var applicationIdentifier: String?

  /// A text of your own that separates this cache's access tokens from those of other caches of the client.
  ///
  /// The same scopes may then have a token for each partition: for a mode of the app, a tenant of its own, or extra
  /// parameters of the request. Accounts and refresh tokens are shared by all partitions. Make a cache for each
  /// partition; a cache is a value.
  public var partition: String?

  /// The number by which Azure AD's telemetry knows the calling function of your library; `nil` sends no telemetry.
  ///
  /// With a number, requests to Microsoft's endpoints have the headers `x-client-current-telemetry` (the number and why
  /// the token is refreshed) and `x-client-last-telemetry` (how many calls the cache answered since the last successful
  /// request, and which requests failed or had no response), as those of the MSALs. Caches that were copied from one
  /// count together.
  public var telemetryAPI: Int?

  /// The other stores of accounts; see ``ExternalAccountProvider``.
  public var externalAccounts: [any ExternalAccountProvider] = []

  /// The redirect URI of requests to the identity broker; `nil` for `RedirectURI.nativeClient`.
  ///
  /// It must be registered for the client ID. The app's `msauth.<app id>://auth` is the other URI that a broker takes.
  public var brokerRedirectURI: RedirectURI?

  /// The time after which a request to the identity broker for a token ends without one; half a minute by default.
  ///
  /// Requests for which the broker needs no network, such as for its accounts, end after five seconds at most.
  public var brokerTimeout: Duration = .seconds(30)

  /// The time before the single retry after a server error (status 500 to 599).
  public var retryDelay: Duration = .seconds(1)

  /// The logger of silent calls, and of what is odd in the response to a sign-in.
  ///
  /// Each call is logged from start to end at `debug`, and problems are logged at `warning`. No line contains a token,
  /// a user name or a secret.
  public var logger = Logger(label: "org.secretstorecache.TokenCache")

  /// The source of the current time.
  public var clock: any WallClock = SystemWallClock()

  /// The identity broker that the cache uses; `nil` for none.
  package var broker: (any IdentityBroker)?
  /// The sign-ins of an older library that the cache shares; `nil` for none.
  package var legacySignIns: (any LegacySignIns)?
  /// Whether the cache reads ``legacySignIns``; otherwise it only adds to them.
  var readsLegacySignIns = true

  /// Creates the default options.
  public init() {}
}
