// SPDX-License-Identifier: MIT

extension RedirectURI {
  /// Whether a broker would bring its answer here: `msauth.<app id>://auth`, or ADAL's `<scheme>://<app id>`.
  public var isBrokerCapable: Bool { brokerProblem == nil }

  /// Why a broker would not bring its answer here; `nil` when it would.
  public var brokerProblem: RedirectProblem? {
    switch form {
    case .msal, .adal, .certificate: nil
    case .link, .loopback: RedirectProblem(.webScheme)
    case .custom: RedirectProblem(.notForBroker)
    }
  }

  /// The URI to register beside this one for certificate authentication: `msauth://code/` and this one,
  /// percent-encoded; `nil` unless a broker takes this one.
  ///
  /// ```swift
  /// uri.certificateURI  // msauth://code/msauth.com.contoso.mail%3A%2F%2Fauth
  /// ```
  public var certificateURI: String? {
    form == .msal || form == .adal ? "msauth://code/\(PercentEncoding.encode(text))" : nil
  }
}
