// SPDX-License-Identifier: MIT

/// Where the provider sends the answer to an app's sign-in: a URI of the app's own, by which the provider
/// also tells apps of one client id apart.
///
/// ```swift
/// let uri = try RedirectURI(defaultFor: app)              // msauth.com.contoso.mail://auth
/// try RedirectURI("x-suite://com.contoso.mail", for: app)  // as ADAL's apps had it
/// try RedirectURI("http://127.0.0.1/mail", for: app)      // on the loopback interface, on any port
/// ```
///
/// Use the default wherever you can. The rules are those of MSAL for iOS and macOS, with the loopback
/// addresses of RFC 8252; each refusal is `invalidRedirectURI` with the ``RedirectProblem`` beneath it.
public struct RedirectURI: Hashable, Sendable {
  /// The forms of a redirect URI.
  public enum Form: Sendable, Hashable {
    /// `msauth.<app id>://auth`, the default.
    case msal
    /// `<scheme>://<app id>`, as ADAL asked for.
    case adal
    /// `msauth://code/<a URI of one of the forms above, percent-encoded>`, for certificate authentication.
    case certificate
    /// `https`; the scheme needs no registration, and the app brings itself to be opened.
    case link
    /// `http` on the loopback interface; the app listens there (RFC 8252 section 7.3).
    case loopback
    /// A scheme of the app's own.
    case custom
  }

  /// The longest redirect URI, in bytes.
  public static let maximumBytes = 2_048

  /// The URI to the letter, as it is registered with the provider.
  public let text: String

  /// The app whose URI it is.
  public let app: AppIdentifier

  /// Which form the URI has.
  public let form: Form

  /// The scheme, in lower case.
  public let scheme: String

  /// In lower case.
  let host: String
  let port: Int?
  /// As it is compared: `/` alone is none, and the case of a certificate form's escapes tells nothing.
  let path: String

  /// Reads an app's redirect URI.
  ///
  /// - Parameters:
  ///   - text: The URI, at most ``maximumBytes``.
  ///   - app: The app whose URI it is.
  /// - Throws: `invalidRedirectURI` when it has a fragment, a query, a user or a port, no scheme or no host,
  ///   an `http` address of another machine, another app's or a malformed `msauth` scheme, or is no URI at
  ///   all.
  public init(_ text: String, for app: AppIdentifier) throws(SecretStoreError) {
    do throws(RedirectProblem) {
      try self.init(reading: text, for: app)
    } catch {
      throw error.error
    }
  }

  /// Makes an app's default redirect URI, `msauth.<app id>://auth`.
  ///
  /// - Throws: `invalidRedirectURI` for an app id with an underscore: no scheme can hold one.
  public init(defaultFor app: AppIdentifier) throws(SecretStoreError) {
    guard URLParts.isScheme(Self.ownScheme(of: app)) else {
      throw RedirectProblem(
        .malformedScheme,
        "The app id \(app) can't stand in a scheme, where only letters, digits, '+', '-' and '.' do:"
          + " give the app a redirect URI of its own."
      ).error
    }
    try self.init("msauth.\(app)://auth", for: app)
  }

  private init(reading text: String, for app: AppIdentifier) throws(RedirectProblem) {
    let parts = try URLParts(text, maximumBytes: Self.maximumBytes)
    if text.lowercased() == "urn:ietf:wg:oauth:2.0:oob" { throw RedirectProblem(.outOfBand) }
    if Self.reservedSchemes.contains(parts.scheme) { throw RedirectProblem(.reservedScheme) }
    if parts.query != nil { throw RedirectProblem(.query) }
    let endpoint = try parts.endpoint()
    form = try Self.form(parts, host: endpoint.host, app: app)
    if endpoint.port != nil && form != .loopback { throw RedirectProblem(.port) }
    self.text = text
    self.app = app
    scheme = parts.scheme
    host = endpoint.host
    port = endpoint.port
    path = Self.comparable(parts.path, form: form)
  }

  private static func form(
    _ parts: URLParts, host: String, app: AppIdentifier
  ) throws(RedirectProblem) -> Form {
    if parts.scheme == "https" { return .link }
    if parts.scheme == "http" {
      guard loopbackHosts.contains(host) else { throw RedirectProblem(.plainHTTP) }
      return .loopback
    }
    let isOwnScheme = parts.scheme == ownScheme(of: app)
    if isOwnScheme && host == "auth" && (parts.path.isEmpty || parts.path == "/") { return .msal }
    if host == app.name.lowercased() { return .adal }
    if parts.scheme == "msauth" && host == "code" {
      guard isCertificatePath(parts.path, of: app) else { throw RedirectProblem(.certificateForm) }
      return .certificate
    }
    if isOwnScheme { throw RedirectProblem(.noAuthHost) }
    guard parts.scheme.hasPrefix("msauth") else { return .custom }
    throw RedirectProblem(
      .otherAppsScheme,
      "The scheme \(parts.scheme) is another app's: the msauth scheme of \(app) is \(ownScheme(of: app)).")
  }

  private static func isCertificatePath(_ path: Substring, of app: AppIdentifier) -> Bool {
    let encoded = path.dropFirst()
    guard let text = PercentEncoding.decode(encoded),
      PercentEncoding.encode(text) == encoded.uppercasedEscapes,
      let inner = try? RedirectURI(text, for: app)
    else { return false }
    return inner.form == .msal || inner.form == .adal
  }

  /// A path as it is compared.
  static func comparable(_ path: Substring, form: Form) -> String {
    if path == "/" { return "" }
    return form == .certificate ? path.uppercasedEscapes : String(path)
  }

  private static func ownScheme(of app: AppIdentifier) -> String { "msauth.\(app.name.lowercased())" }

  private static let loopbackHosts: Set<String> = ["127.0.0.1", "[::1]", "localhost"]

  /// Schemes that the desktop or the browser gives a meaning of its own.
  private static let reservedSchemes: Set<String> = [
    "about", "admin", "blob", "data", "dav", "davs", "file", "ftp", "ftps", "javascript", "mailto", "sftp",
    "smb",
    "ssh", "tel", "telnet", "trash", "view-source", "ws", "wss",
  ]
}

extension Substring {
  /// The text with the hexadecimal digits of its escapes in upper case.
  fileprivate var uppercasedEscapes: String {
    var result = ""
    var rest = self
    while let mark = rest.firstIndex(of: "%") {
      result += rest[..<mark]
      result += rest[mark...].prefix(3).uppercased()
      rest = rest[mark...].dropFirst(3)
    }
    return result + rest
  }
}

extension RedirectURI: CustomStringConvertible {
  /// The URI to the letter.
  public var description: String { text }
}
