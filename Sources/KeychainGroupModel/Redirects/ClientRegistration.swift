// SPDX-License-Identifier: MIT

/// The apps that share a client id, and so tokens: each has a redirect URI of its own, by which the provider
/// tells them apart.
///
/// ```swift
/// let suite = try ClientRegistration(
///   clientID: "contoso-suite",
///   redirectURIs: [RedirectURI(defaultFor: mail), RedirectURI(defaultFor: calendar)])
/// ```
public struct ClientRegistration: Hashable, Sendable {
  /// The client id.
  public let clientID: String

  /// What is registered with the provider for the client; an app may have several.
  public let redirectURIs: [RedirectURI]

  /// Makes a registration.
  ///
  /// Two URIs are the same if only the case of scheme and host tells them apart, or the port of a loopback
  /// address, which a provider does not look at (RFC 8252 section 7.3).
  ///
  /// - Throws: `invalidRedirectURI` when two apps have the same URI, `invalidArgument` for a blank client id.
  public init(clientID: String, redirectURIs: [RedirectURI]) throws(SecretStoreError) {
    guard clientID.contains(where: { !$0.isWhitespace }) else {
      throw SecretStoreError(.invalidArgument, "The client id is blank.")
    }
    var owners: [[String]: AppIdentifier] = [:]
    for uri in redirectURIs {
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

  /// The redirect URIs of one of the apps.
  public func redirectURIs(of app: AppIdentifier) -> [RedirectURI] { redirectURIs.filter { $0.app == app } }
}
