// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// The authority that issues tokens: the URL at which an app signs its users in.
///
/// ```swift
/// try Authority("https://login.microsoftonline.com/common")      // Azure AD
/// try Authority("https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin")
/// try Authority("https://adfs.contoso.com/adfs")
/// try Authority("https://id.contoso.com/realms/staff")           // any OpenID provider
/// ```
public struct Authority: Hashable, Sendable {
  /// A kind of authority.
  ///
  /// The kinds differ in the content of their token responses.
  public enum Kind: Sendable, Hashable {
    /// Azure AD (Microsoft Entra ID): `client_info` identifies the account.
    case aad
    /// Azure AD B2C: like Azure AD, with the policy in the account's identifier.
    case b2c
    /// Active Directory Federation Services: the `sub` of the ID token identifies the account.
    case adfs
    /// Any other OpenID provider: the `sub` of the ID token identifies the account.
    case openID
  }

  /// The authority's URL.
  public let url: URL

  /// The kind of the authority.
  public let kind: Kind

  /// The host in lower case, with the port unless it is the scheme's default.
  public let host: String

  /// The issuer of an OpenID provider's tokens, or `nil` for Microsoft's authorities.
  public let issuer: Issuer?

  /// The token endpoint that was given for the authority; `nil` when its URL determines the endpoint, or nobody knows
  /// it.
  public let tokenEndpoint: URL?

  /// The path's components.
  package let path: [String]

  /// Reads an authority's URL.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - kind: The kind of the authority, if the URL does not state it. Pass `.aad` for an Azure AD cloud that this
  ///     package does not know.
  ///   - tokenEndpoint: The URL of the token endpoint, from the `token_endpoint` of the provider's discovery document.
  ///     Microsoft's authorities need none.
  /// - Throws: `invalidArgument` when the text is not an absolute URL with a host; has a user, a query, a fragment or
  ///   a control character (also percent-encoded); or is not `https`. `http` is permitted for loopback hosts only. The
  ///   URL of an OpenID provider must be an ``Issuer``. `invalidArgument` also when the token endpoint has a user or a
  ///   fragment, or is not `https` by the same rule.
  public init(_ text: String, kind: Kind? = nil, tokenEndpoint: URL? = nil) throws(SecretStoreError) {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      let host = url.host?.lowercased(), !host.isEmpty
    else { throw Self.invalid("it is not an absolute URL with a host") }
    if url.user != nil || url.password != nil { throw Self.invalid("it holds a user") }
    if url.query != nil || url.fragment != nil { throw Self.invalid("it holds a query or a fragment") }
    guard scheme == "https" || (scheme == "http" && Issuer.isLoopback(host)) else {
      throw Self.invalid("it is not an https URL")
    }
    if let tokenEndpoint, !Self.isSecure(tokenEndpoint) {
      throw Self.invalid("its token endpoint is not an https URL")
    }
    self.tokenEndpoint = tokenEndpoint
    self.url = url
    let standardPort = scheme == "https" ? 443 : 80
    self.host = url.port.map { $0 == standardPort ? host : "\(host):\($0)" } ?? host
    self.path = url.path.split(separator: "/").map(String.init)
    if self.host.hasUnsafeCharacter || url.path.hasUnsafeCharacter {
      throw Self.invalid("it holds a control character or too many combining marks")
    }
    self.kind = kind ?? Self.kind(host: host, path: path)
    self.issuer = self.kind == .openID ? Issuer(url.absoluteString) : nil
    if self.kind == .openID && issuer == nil { throw Self.invalid("its host or its path is no issuer's") }
  }

  private static func kind(host: String, path: [String]) -> Kind {
    if path.first?.lowercased() == "tfp" || host.hasSuffix(".b2clogin.com") { return .b2c }
    if CloudEnvironment.isKnown(host) || host.hasSuffix(".ciamlogin.com") { return .aad }
    if path.first?.lowercased() == "adfs" { return .adfs }
    return .openID
  }

  private static func invalid(_ why: String) -> SecretStoreError {
    SecretStoreError(.invalidArgument, "The authority is not valid: \(why).")
  }

  /// The environment whose accounts this authority signs in.
  ///
  /// At a host of a Microsoft cloud it is the host that the cloud prefers for requests, such as
  /// `login.microsoftonline.com`; an OpenID provider's is its ``Issuer``, and any other's the host itself.
  public var environment: String { CloudEnvironment.network(storageEnvironment) }

  /// The environment under which this authority's tokens are stored: ``environment``, or a cloud's preferred cache
  /// host.
  package var storageEnvironment: String { issuer?.text ?? CloudEnvironment.canonical(host) }

  /// The tenant in the URL.
  ///
  /// It is the first path component for Azure AD, the one after `tfp` (if present) for B2C, `adfs` for AD FS, and the
  /// whole path for an OpenID provider.
  public var realm: String {
    switch kind {
    case .aad, .adfs: path.first ?? ""
    case .b2c: path.first?.lowercased() == "tfp" ? path.dropFirst().first ?? "" : path.first ?? ""
    case .openID: path.joined(separator: "/")
    }
  }

  /// Whether an Azure AD URL names no specific tenant: `common`, `organizations`, `consumers`, or no path.
  public var isTenantless: Bool {
    kind == .aad && (realm.isEmpty || Self.tenantless.contains(realm.lowercased()))
  }
}
