// SPDX-License-Identifier: MIT

extension RedirectProblem.Rule {
  /// The explanation of the rule, for problems without further details.
  var explanation: String {
    switch name {
    case .empty: "The redirect URI is empty."
    case .tooLong: "The URL is too long."
    case .illegalCharacter: "The URL holds a space, a control character or another one that no URL holds."
    case .malformedEscape: "The URL holds a percent sign without two hexadecimal digits after it."
    case .fragment: "A redirect URI must not have a fragment, the part after '#'."
    case .noScheme: "The redirect URI has no scheme."
    case .malformedScheme:
      "The scheme holds another character than letters, digits, '+', '-' and '.', or begins with another one"
        + " than a letter."
    case .reservedScheme: "The scheme is the system's; an app has one of its own, made from its id."
    case .outOfBand: "urn:ietf:wg:oauth:2.0:oob brings no response to the app: use a scheme of the app's own."
    case .plainHTTP:
      "http is for the loopback interface only (127.0.0.1, [::1], localhost): anybody on the way could read"
        + " the response."
    case .noHost: "The redirect URI has no host: its form is <scheme>://<host>."
    case .malformedHost: "The host holds another character than letters, digits, '.', '-' and '_'."
    case .userInfo: "The URL has a user before its host."
    case .port: "The URL has a port that is none, or has one although it is no loopback address."
    case .query: "The redirect URI has a query; what tells two sign-ins apart belongs in the state."
    case .otherAppsScheme: "The scheme is another app's."
    case .noAuthHost: "The app's msauth scheme is followed by '://auth' and nothing else."
    case .certificateForm:
      "After msauth://code/ stands the app's own redirect URI of a form that a broker takes, percent-encoded."
    case .schemeNotRegistered: "No .desktop file registers the scheme for the app."
    case .schemeOpensAnotherApp: "The desktop opens the scheme with another app."
    case .webScheme: "A broker does not send its response to an http or https address."
    case .notForBroker: "A broker takes msauth.<app id>://auth or <scheme>://<app id>."
    case .notRegisteredAtAuthority: "The redirect URI is not registered for the app's client ID."
    case .sharedByApps: "Two apps of one client id have the same redirect URI."
    case .noSignIn: "A URL was opened, and no sign-in of the app is under way."
    case .otherRedirectURI: "The URL that was opened is not the redirect URI of a sign-in of this app."
    case .malformedQuery: "The query of the URL that was opened does not decode to plain text."
    case .repeatedParameter: "The URL that was opened has a parameter twice."
    case .noState: "The URL that was opened has no state: it is the response to no sign-in of this app."
    case .unknownState:
      "The URL that was opened has a state that was not issued for it, was used before, or is too old."
    case .otherIssuer: "The URL that was opened is a response of another issuer than the sign-in's."
    case .noIssuer:
      "The URL that was opened does not name its issuer, which the sign-in's issuer always does."
    case .noCode: "The URL that was opened has neither a code nor an error."
    case .codeAndError: "The URL that was opened has both a code and an error."
    }
  }
}
