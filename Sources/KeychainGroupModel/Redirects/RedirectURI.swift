// SPDX-License-Identifier: MIT

/// The URI at which an app receives authorization responses.
///
/// Each app has its own redirect URI, by which the provider tells apps with the same client ID apart.
///
/// ```swift
/// let uri = try RedirectURI(defaultFor: app.app)               // msauth.com.contoso.mail://auth
/// try RedirectURI("x-suite://com.contoso.mail", for: app.app)  // the form of ADAL
/// try RedirectURI("http://127.0.0.1/mail", for: app.app)       // on the loopback interface, on any port
/// ```
///
/// Use the default where possible. The rules are those of MSAL for iOS and macOS, plus the loopback addresses of RFC
/// 8252. Every refusal is `invalidRedirectURI` with a ``RedirectProblem`` as the underlying error.
public struct RedirectURI: Hashable, Sendable {
  /// The form of a redirect URI.
  public enum Form: Sendable, Hashable {
    /// `msauth.<app id>://auth`, the default.
    case msal
    /// `<scheme>://<app id>`, the form that ADAL required.
    case adal
    /// `msauth://code/<a percent-encoded URI of one of the forms above>`, for certificate authentication.
    case certificate
    /// `https`: the scheme needs no registration, and the app itself ensures that it receives the URL.
    case link
    /// `http` on the loopback interface, on which the app listens (RFC 8252 section 7.3).
    case loopback
    /// Another scheme of the app's own.
    case custom
  }

  /// The maximum length of a redirect URI, in bytes.
  public static let maximumBytes = 2_048

  /// The URI exactly as it is registered with the provider.
  public let text: String

  /// The app that the URI belongs to.
  public let app: AppIdentifier

  /// The form of the URI.
  public let form: Form

  /// The scheme, in lower case.
  public let scheme: String

  /// The host, in lower case.
  let host: String
  let port: Int?
  /// The path in the form that is compared; see `comparable(_:form:)`.
  let path: String

  /// Reads an app's redirect URI.
  ///
  /// - Parameters:
  ///   - text: The URI, at most ``maximumBytes``.
  ///   - app: The app that the URI belongs to.
  /// - Throws: `invalidRedirectURI` when the text is not a URI; has a fragment, a query or user information; has a
  ///   port without being a loopback address; has no scheme or no host, or a scheme that the system reserves; is an
  ///   `http` URI of another host than loopback; or has a malformed `msauth` scheme or that of another app.
  public init(_ text: String, for app: AppIdentifier) throws(SecretStoreError) {
    do throws(RedirectProblem) {
      try self.init(reading: text, for: app)
    } catch {
      throw error.error
    }
  }

  /// Creates an app's default redirect URI, `msauth.<app id>://auth`.
  ///
  /// - Throws: `invalidRedirectURI` for an app ID with an underscore, which a scheme cannot hold.
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

  /// Returns a path in the form that is compared: `/` is empty, and escapes of the certificate form are in upper case.
  static func comparable(_ path: Substring, form: Form) -> String {
    if path == "/" { return "" }
    return form == .certificate ? path.uppercasedEscapes : String(path)
  }

  private static func ownScheme(of app: AppIdentifier) -> String { "msauth.\(app.name.lowercased())" }

  private static let loopbackHosts: Set<String> = ["127.0.0.1", "[::1]", "localhost"]

  /// Schemes to which the desktop or the browser gives a fixed meaning.
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
  /// The URI exactly as it is registered.
  public var description: String { text }
}
