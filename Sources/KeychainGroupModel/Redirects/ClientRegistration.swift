// SPDX-License-Identifier: MIT

/// The apps that share a client ID and therefore tokens.
///
/// Each app has its own redirect URI, by which the provider tells the apps apart.
///
/// ```swift
/// let suite = try ClientRegistration(
///   clientID: "contoso-suite",
///   redirectURIs: [RedirectURI(defaultFor: mail.app), RedirectURI(defaultFor: calendar.app)])
/// ```
public struct ClientRegistration: Hashable, Sendable {
  /// The client ID.
  public let clientID: String

  /// The redirect URIs that are registered with the provider for the client.
  ///
  /// An app may have several.
  public let redirectURIs: [RedirectURI]

  /// Creates a registration.
  ///
  /// Two URIs are the same if they differ only in the case of scheme and host, or in the port of a loopback address,
  /// which providers ignore (RFC 8252 section 7.3). Several apps may have ``RedirectURI/nativeClient``: the identity
  /// broker hands the token over itself, and nothing opens that URI.
  ///
  /// - Throws: `invalidRedirectURI` when two apps have the same URI, `invalidArgument` for a blank client ID.
  public init(clientID: String, redirectURIs: [RedirectURI]) throws(SecretStoreError) {
    guard clientID.contains(where: { !$0.isWhitespace }) else {
      throw SecretStoreError(.invalidArgument, "The client id is blank.")
    }
    var owners: [[String]: AppIdentifier] = [:]
    for uri in redirectURIs where !uri.isNativeClient {
      let key = [uri.scheme, uri.host, uri.path]
      guard let owner = owners.updateValue(uri.app, forKey: key), owner != uri.app else { continue }
      throw RedirectProblem(
        .sharedByApps,
        "\(owner) and \(uri.app) have the same redirect URI, \(uri): apps of one client id differ in it."
      ).error
    }
    self.clientID = clientID
    self.redirectURIs = redirectURIs
  }

  /// Returns the redirect URIs of one of the apps.
  public func redirectURIs(of app: AppIdentifier) -> [RedirectURI] { redirectURIs.filter { $0.app == app } }
}
