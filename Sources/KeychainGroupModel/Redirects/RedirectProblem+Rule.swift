// SPDX-License-Identifier: MIT

extension RedirectProblem {
  /// A rule for redirect URIs and opened URLs.
  ///
  /// More rules may be added. Keep a default for unknown rules.
  public struct Rule: Hashable, Sendable, CustomStringConvertible {
    enum Name: String, CaseIterable {
      case empty, tooLong, illegalCharacter, malformedEscape, fragment
      case noScheme, malformedScheme, reservedScheme, outOfBand, plainHTTP
      case noHost, malformedHost, userInfo, port, query
      case otherAppsScheme, noAuthHost, certificateForm
      case schemeNotRegistered, schemeOpensAnotherApp
      case webScheme, notForBroker, sharedByApps, notRegisteredAtAuthority
      case noSignIn, otherRedirectURI, malformedQuery, repeatedParameter, noState, unknownState, otherIssuer,
        noIssuer, noCode, codeAndError
    }

    let name: Name

    private init(_ name: Name) { self.name = name }

    /// The rule's name.
    public var description: String { name.rawValue }

    /// All rules, for tables and tests.
    public static let all: [Rule] = Name.allCases.map(Rule.init)

    // MARK: Any URL

    /// The URL is empty.
    public static let empty = Rule(.empty)
    /// A redirect URI is longer than 2,048 bytes, or an opened URL is longer than 65,536 bytes.
    public static let tooLong = Rule(.tooLong)
    /// The URL holds a space, a control character or another character that RFC 3986 section 2 does not permit.
    public static let illegalCharacter = Rule(.illegalCharacter)
    /// A `%` is not followed by two hexadecimal digits (RFC 3986 section 2.1).
    public static let malformedEscape = Rule(.malformedEscape)
    /// The URL has a fragment, which a redirect URI must not have (RFC 6749 section 3.1.2).
    public static let fragment = Rule(.fragment)
    /// The URL has no scheme.
    public static let noScheme = Rule(.noScheme)
    /// The scheme does not begin with a letter, or has other characters than letters, digits, `+`, `-` and `.`.
    ///
    /// See RFC 3986 section 3.1.
    public static let malformedScheme = Rule(.malformedScheme)
    /// The URL has no host, which every form of a redirect URI has.
    public static let noHost = Rule(.noHost)
    /// The host is neither a name nor an address.
    public static let malformedHost = Rule(.malformedHost)
    /// The URL has user information before the host.
    public static let userInfo = Rule(.userInfo)
    /// The URL has a malformed port, or has a port although it is not a loopback address.
    public static let port = Rule(.port)

    // MARK: A redirect URI

    /// The scheme has a fixed meaning for the desktop or the browser, such as `file`.
    public static let reservedScheme = Rule(.reservedScheme)
    /// The URI is `urn:ietf:wg:oauth:2.0:oob`, which delivers no response to the app.
    public static let outOfBand = Rule(.outOfBand)
    /// The scheme is `http` and the host is not the loopback interface (RFC 8252 section 7.3).
    public static let plainHTTP = Rule(.plainHTTP)
    /// The redirect URI has a query.
    public static let query = Rule(.query)
    /// The `msauth` scheme belongs to another app.
    public static let otherAppsScheme = Rule(.otherAppsScheme)
    /// The app's `msauth` scheme is not followed by `://auth`.
    public static let noAuthHost = Rule(.noAuthHost)
    /// `msauth://code/` is not followed by a percent-encoded, broker-capable redirect URI of the app.
    public static let certificateForm = Rule(.certificateForm)
    /// No `.desktop` file registers the scheme for the app.
    public static let schemeNotRegistered = Rule(.schemeNotRegistered)
    /// The desktop opens the scheme with another app.
    public static let schemeOpensAnotherApp = Rule(.schemeOpensAnotherApp)
    /// The URI is an `http` or `https` URI other than ``RedirectURI/nativeClient``, which a broker does not support.
    public static let webScheme = Rule(.webScheme)
    /// The URI has none of the forms that a broker supports.
    public static let notForBroker = Rule(.notForBroker)
    /// Two apps of one client ID have the same redirect URI.
    public static let sharedByApps = Rule(.sharedByApps)
    /// The authority does not know the redirect URI for the client ID.
    public static let notRegisteredAtAuthority = Rule(.notRegisteredAtAuthority)

    // MARK: An opened URL

    /// No sign-in of the app is under way.
    public static let noSignIn = Rule(.noSignIn)
    /// The URL does not match the redirect URI of a sign-in of the app.
    public static let otherRedirectURI = Rule(.otherRedirectURI)
    /// The query does not decode to text without control characters.
    public static let malformedQuery = Rule(.malformedQuery)
    /// A parameter occurs twice (RFC 6749 section 3.1).
    public static let repeatedParameter = Rule(.repeatedParameter)
    /// There is no `state`.
    public static let noState = Rule(.noState)
    /// The `state` was not issued for this redirect URI, was used before, or is too old.
    public static let unknownState = Rule(.unknownState)
    /// The `iss` names another issuer than the sign-in's (RFC 9207 section 2.4).
    public static let otherIssuer = Rule(.otherIssuer)
    /// There is no `iss`, although the issuer includes one in every response (RFC 9207 section 2.4).
    public static let noIssuer = Rule(.noIssuer)
    /// There is neither a `code` nor an `error`.
    public static let noCode = Rule(.noCode)
    /// There is both a `code` and an `error`.
    public static let codeAndError = Rule(.codeAndError)
  }
}
