// SPDX-License-Identifier: MIT

public import FoundationEssentials
package import KeychainGroupModel

/// The endpoints of an authority.
extension Authority {
  /// The URL of the authority's discovery document, which names its endpoints (OpenID Connect Discovery 1.0).
  public var discoveryURL: URL {
    let components =
      switch kind {
      case .aad: [requestTenant, "v2.0"]
      case .b2c: path.filter { $0.lowercased() != "v2.0" } + ["v2.0"]
      case .adfs: [path.first ?? "adfs"]
      case .openID: path
      }
    return url(of: components + [".well-known", "openid-configuration"])
  }

  /// Returns the URL of the token endpoint: the one that was given, else the one that Microsoft's authorities have.
  ///
  /// - Parameter version1: Whether to use version 1 of Azure AD's endpoint, which takes a resource instead of scopes.
  /// - Throws: `invalidArgument` for an OpenID provider without a given endpoint.
  package func requestURL(version1: Bool) throws(SecretStoreError) -> URL {
    if let tokenEndpoint { return tokenEndpoint }
    let components: [String]
    switch kind {
    case .aad: components = [requestTenant, "oauth2"] + (version1 ? ["token"] : ["v2.0", "token"])
    case .b2c: components = path.filter { $0.lowercased() != "v2.0" } + ["oauth2", "v2.0", "token"]
    case .adfs: components = [path.first ?? "adfs", "oauth2", "token"]
    case .openID:
      throw SecretStoreError(
        .invalidArgument,
        "The token endpoint of an OpenID provider is in its discovery document: pass it with the authority.")
    }
    return url(of: components)
  }

  /// Returns the URL of a path at the authority's host.
  private func url(of components: [String]) -> URL {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.path = "/" + components.joined(separator: "/")
    return parts?.url ?? url
  }

  /// The tenant in the URL of a request.
  ///
  /// Without one it is `common`, or at Microsoft Entra External ID the tenant that the host names.
  private var requestTenant: String {
    if !realm.isEmpty { return realm }
    let external = ".ciamlogin.com"
    return host.hasSuffix(external) ? "\(host.dropLast(external.count)).onmicrosoft.com" : "common"
  }

  /// Returns whether a token may be sent to a URL: by `https`, or by `http` to this machine.
  ///
  /// The URL of a token endpoint must be secure. Check the other endpoints of a discovery document with this method.
  public static func isSecure(_ endpoint: URL) -> Bool {
    guard let host = endpoint.host?.lowercased(), !host.isEmpty, endpoint.user == nil,
      endpoint.fragment == nil, !endpoint.absoluteString.hasUnsafeCharacter
    else { return false }
    let scheme = endpoint.scheme?.lowercased()
    return scheme == "https" || scheme == "http" && Issuer.isLoopback(host)
  }
}
