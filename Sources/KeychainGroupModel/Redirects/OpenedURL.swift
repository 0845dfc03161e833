// SPDX-License-Identifier: MIT

/// A URL that the desktop opened with an app.
///
/// It is not trusted: any page or program that can open a link can send one.
struct OpenedURL {
  private let parts: URLParts
  private let host: String
  private let port: Int?

  init(_ text: String) throws(RedirectProblem) {
    parts = try URLParts(text, maximumBytes: RedirectHandler.maximumBytes)
    (host, port) = try parts.endpoint()
  }

  /// Returns whether this URL matches a redirect URI.
  ///
  /// A loopback redirect URI without a port matches any port, because the app listens on a free one (RFC 8252 section
  /// 7.3).
  func matches(_ uri: RedirectURI) -> Bool {
    guard parts.scheme == uri.scheme, host == uri.host else { return false }
    guard RedirectURI.comparable(parts.path, form: uri.form) == uri.path else { return false }
    return port == uri.port || (uri.form == .loopback && uri.port == nil)
  }

  /// Returns the parameters of the query, form-decoded.
  ///
  /// - Throws: `malformedQuery` or `repeatedParameter`.
  func parameters() throws(RedirectProblem) -> [String: String] {
    var parameters: [String: String] = [:]
    for field in (parts.query ?? "").split(separator: "&") {
      let mark = field.firstIndex(of: "=") ?? field.endIndex
      guard let name = PercentEncoding.decode(field[..<mark], plusIsSpace: true),
        let value = PercentEncoding.decode(field[mark...].dropFirst(), plusIsSpace: true)
      else { throw RedirectProblem(.malformedQuery) }
      guard parameters.updateValue(value, forKey: name) == nil else {
        throw RedirectProblem(.repeatedParameter)
      }
    }
    return parameters
  }
}
