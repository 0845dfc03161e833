// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// The address of the authorization response: a port that the app listens on, or a scheme that the desktop opens with
/// the app.
public enum Redirect: Sendable {
  /// A URI on the loopback interface.
  case loopback(LoopbackRedirect)
  /// A URI with a scheme of the app's own, which a `.desktop` file registers.
  case scheme(RedirectURI)

  /// Parses an app's redirect URI.
  ///
  /// - Throws: `invalidRedirectURI` when the URI belongs to another app, when its form can't reach this app, or when
  ///   the desktop does not open its scheme with the app. In the last case, the error contains the line to add.
  public init(_ text: String, for app: AppIdentifier) throws(SecretStoreError) {
    let uri = try RedirectURI(text, for: app)
    switch uri.form {
    case .loopback: self = .loopback(try LoopbackRedirect(text))
    case .msal, .adal, .custom:
      try uri.requireRegistered(with: InstalledApps().schemeHandlers())
      self = .scheme(uri)
    case .link, .certificate:
      throw SecretStoreError(.invalidRedirectURI, "Nothing brings \(text) to this app.")
    }
  }

  /// The URI exactly as it is registered with the provider.
  public var uri: String {
    switch self {
    case .loopback(let redirect): redirect.uri
    case .scheme(let uri): uri.text
    }
  }
}
