// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// Who issues the tokens: the URL under which an app signs its users in.
///
/// ```swift
/// try Authority("https://login.microsoftonline.com/common")      // Azure AD
/// try Authority("https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin")
/// try Authority("https://adfs.contoso.com/adfs")
/// try Authority("https://id.contoso.com/realms/staff")           // any OpenID provider
/// ```
public struct Authority: Hashable, Sendable {
  /// The families of authority, which differ in what their token responses hold.
  public enum Kind: Sendable, Hashable {
    /// Azure AD (Microsoft Entra ID): the account is named by `client_info`.
    case aad
    /// Azure AD B2C: as Azure AD, with the policy in the account's identifier.
    case b2c
    /// Active Directory Federation Services: the account is named by the id token.
    case adfs
    /// Any other OpenID provider: the account is named by the id token's `sub`.
    case openID
  }

  /// The authority's URL.
  public let url: URL

  /// Which family the authority belongs to.
  public let kind: Kind

  /// The host, in lower case, with the port where it is not the scheme's own.
  public let host: String

  /// The path's components.
  let path: [String]

  /// Reads an authority's URL.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - kind: Which family the authority belongs to, where the URL does not tell: `.aad` for a cloud of Azure AD
  ///     that this package does not know.
  /// - Throws: `invalidArgument` when it is no absolute URL with a host, has a user, a query or a fragment, or
  ///   is not `https`; `http` is taken for loopback hosts only.
  public init(_ text: String, kind: Kind? = nil) throws(SecretStoreError) {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      let host = url.host?.lowercased(), !host.isEmpty
    else { throw Self.invalid("it is not an absolute URL with a host") }
    if url.user != nil || url.password != nil { throw Self.invalid("it holds a user") }
    if url.query != nil || url.fragment != nil { throw Self.invalid("it holds a query or a fragment") }
    let isLoopback = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
    guard scheme == "https" || (scheme == "http" && isLoopback) else {
      throw Self.invalid("it is not an https URL")
    }
    self.url = url
    self.host = url.port.map { $0 == 443 ? host : "\(host):\($0)" } ?? host
    self.path = url.path.split(separator: "/").map(String.init)
    self.kind = kind ?? Self.kind(host: host, path: path)
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

  /// The environment under which tokens of this authority are kept: one canonical host for each cloud, the host
  /// itself elsewhere.
  public var environment: String { CloudEnvironment.canonical(host) }

  /// The tenant in the URL: its first path component for Azure AD, the second after `tfp` for B2C, `adfs` for
  /// ADFS, and the whole path for an OpenID provider, where issuers of one host differ by it.
  public var realm: String {
    switch kind {
    case .aad, .adfs: path.first ?? ""
    case .b2c: path.first?.lowercased() == "tfp" ? path.dropFirst().first ?? "" : path.first ?? ""
    case .openID: path.joined(separator: "/")
    }
  }

  /// Whether the URL names no tenant of its own: `common`, `organizations` or `consumers`.
  public var isTenantless: Bool {
    kind == .aad && (realm.isEmpty || Self.tenantless.contains(realm.lowercased()))
  }
}
