// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// Where the provider's answer to a sign-in arrives: at a port that the app listens on, or at a scheme that
/// the desktop opens with the app.
public enum Redirect: Sendable {
  /// On the loopback interface.
  case loopback(LoopbackRedirect)
  /// By a scheme of the app's own, which a `.desktop` file registers.
  case scheme(RedirectURI)

  /// Reads an app's redirect URI.
  ///
  /// - Throws: `invalidRedirectURI` when it is none of the app's, or an address that nothing brings to the
  ///   app, or the desktop does not open its scheme with the app: the error then has the line to add.
  public init(_ text: String, for app: AppIdentifier) throws(SecretStoreError) {
    let uri = try RedirectURI(text, for: app)
    switch uri.form {
    case .loopback: self = .loopback(try LoopbackRedirect(text))
    case .msal, .adal, .custom:
      try uri.requireRegistered(with: DesktopSchemeHandlers())
      self = .scheme(uri)
    case .link, .certificate:
      throw SecretStoreError(.invalidRedirectURI, "Nothing brings \(text) to this app.")
    }
  }

  /// The URI to the letter, as it is registered with the provider.
  public var uri: String {
    switch self {
    case .loopback(let redirect): redirect.uri
    case .scheme(let uri): uri.text
    }
  }
}
