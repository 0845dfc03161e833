// SPDX-License-Identifier: MIT

extension RedirectURI {
  /// Microsoft's address for native clients, which the identity broker of the Linux desktop requires by default.
  ///
  /// No response arrives there: the broker hands the token over itself. The app must have registered it for its client
  /// ID, which only the authority knows. If it has not, a call through the broker throws `invalidRedirectURI` with the
  /// rule ``RedirectProblem/Rule/notRegisteredAtAuthority``.
  public static let nativeClient = "https://login.microsoftonline.com/common/oauth2/nativeclient"

  /// Returns the error of an authority that does not know the redirect URI for the app's client ID.
  package static func unregisteredAtAuthority(_ text: String) -> SecretStoreError {
    RedirectProblem(
      .notRegisteredAtAuthority,
      "The redirect URI \(text) is not registered for the app's client ID: add it to the app's registration, under"
        + " \"Mobile and desktop applications\"."
    ).error
  }

  /// Whether a broker can deliver its response to this URI.
  ///
  /// The supported forms are ``nativeClient``, `msauth.<app id>://auth`, ADAL's `<scheme>://<app id>`, and the
  /// certificate form of the last two.
  public var isBrokerCapable: Bool { brokerProblem == nil }

  /// Whether it is ``nativeClient``, in any case of scheme and host.
  var isNativeClient: Bool { "\(scheme)://\(host)\(path)" == Self.nativeClient }

  /// The reason why a broker cannot deliver its response to this URI, or `nil` when it can.
  public var brokerProblem: RedirectProblem? {
    if isNativeClient { return nil }
    return switch form {
    case .msal, .adal, .certificate: nil
    case .link, .loopback: RedirectProblem(.webScheme)
    case .custom: RedirectProblem(.notForBroker)
    }
  }

  /// The URI to register in addition to this one for certificate authentication.
  ///
  /// It is `msauth://code/` with this URI, percent-encoded. It is `nil` unless this URI has the form `msauth.<app
  /// id>://auth` or `<scheme>://<app id>`.
  ///
  /// ```swift
  /// uri.certificateURI  // msauth://code/msauth.com.contoso.mail%3A%2F%2Fauth
  /// ```
  public var certificateURI: String? {
    form == .msal || form == .adal ? "msauth://code/\(PercentEncoding.encode(text))" : nil
  }
}
