// SPDX-License-Identifier: MIT

extension RedirectProblem {
  /// The rules that redirect URIs and opened URLs keep.
  ///
  /// The list can grow: keep a default for rules that you don't know.
  public struct Rule: Hashable, Sendable, CustomStringConvertible {
    enum Name: String, CaseIterable {
      case empty, tooLong, illegalCharacter, malformedEscape, fragment
      case noScheme, malformedScheme, reservedScheme, outOfBand, plainHTTP
      case noHost, malformedHost, userInfo, port, query
      case otherAppsScheme, noAuthHost, certificateForm
      case schemeNotRegistered, schemeOpensAnotherApp
      case webScheme, notForBroker, sharedByApps
      case noSignIn, otherRedirectURI, malformedQuery, repeatedParameter, noState, unknownState, noCode,
        codeAndError
    }

    let name: Name

    private init(_ name: Name) { self.name = name }

    /// The rule's name.
    public var description: String { name.rawValue }

    /// Every rule there is, for tables and tests.
    public static let all: [Rule] = Name.allCases.map(Rule.init)

    // MARK: Any URL

    /// There is nothing.
    public static let empty = Rule(.empty)
    /// A redirect URI has more than 2,048 bytes, an opened URL more than 65,536.
    public static let tooLong = Rule(.tooLong)
    /// A space, a control character or another character that no URL holds (RFC 3986 section 2).
    public static let illegalCharacter = Rule(.illegalCharacter)
    /// A `%` without two hexadecimal digits (RFC 3986 section 2.1).
    public static let malformedEscape = Rule(.malformedEscape)
    /// A fragment, which a redirect URI must not have (RFC 6749 section 3.1.2).
    public static let fragment = Rule(.fragment)
    /// No scheme.
    public static let noScheme = Rule(.noScheme)
    /// A scheme with another character than letters, digits, `+`, `-` and `.` (RFC 3986 section 3.1).
    public static let malformedScheme = Rule(.malformedScheme)
    /// No host, which every form of a redirect URI has.
    public static let noHost = Rule(.noHost)
    /// A host that is neither a name nor an address.
    public static let malformedHost = Rule(.malformedHost)
    /// A user before the host.
    public static let userInfo = Rule(.userInfo)
    /// A port, which only a loopback address may have.
    public static let port = Rule(.port)

    // MARK: A redirect URI

    /// A scheme that is the system's, such as `file`.
    public static let reservedScheme = Rule(.reservedScheme)
    /// `urn:ietf:wg:oauth:2.0:oob`, by which nobody hands over an answer any more.
    public static let outOfBand = Rule(.outOfBand)
    /// `http` to another host than the loopback interface (RFC 8252 section 7.3).
    public static let plainHTTP = Rule(.plainHTTP)
    /// A query.
    public static let query = Rule(.query)
    /// A `msauth` scheme of another app.
    public static let otherAppsScheme = Rule(.otherAppsScheme)
    /// The app's `msauth` scheme without `://auth`.
    public static let noAuthHost = Rule(.noAuthHost)
    /// `msauth://code/` without a percent-encoded redirect URI of the app that a broker takes.
    public static let certificateForm = Rule(.certificateForm)
    /// No `.desktop` file registers the scheme for the app.
    public static let schemeNotRegistered = Rule(.schemeNotRegistered)
    /// The desktop opens the scheme with another app.
    public static let schemeOpensAnotherApp = Rule(.schemeOpensAnotherApp)
    /// An `http` or `https` URI, which a broker does not take.
    public static let webScheme = Rule(.webScheme)
    /// A URI of another form than the two that a broker takes.
    public static let notForBroker = Rule(.notForBroker)
    /// Two apps of one client id have one redirect URI.
    public static let sharedByApps = Rule(.sharedByApps)

    // MARK: An opened URL

    /// No sign-in of the app is under way.
    public static let noSignIn = Rule(.noSignIn)
    /// The URL is not the redirect URI of a sign-in of the app.
    public static let otherRedirectURI = Rule(.otherRedirectURI)
    /// The query does not decode to text without control characters.
    public static let malformedQuery = Rule(.malformedQuery)
    /// A parameter stands twice (RFC 6749 section 3.1).
    public static let repeatedParameter = Rule(.repeatedParameter)
    /// There is no `state`.
    public static let noState = Rule(.noState)
    /// The `state` was not issued for this, or was used before.
    public static let unknownState = Rule(.unknownState)
    /// There is neither a `code` nor an `error`.
    public static let noCode = Rule(.noCode)
    /// There is both a `code` and an `error`.
    public static let codeAndError = Rule(.codeAndError)
  }
}
