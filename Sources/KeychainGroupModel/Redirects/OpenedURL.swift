// SPDX-License-Identifier: MIT

/// A URL that the desktop opened with an app: whoever can show a link can send one.
struct OpenedURL {
  /// The longest URL that is looked at, in bytes.
  static let maximumBytes = 65_536

  private let parts: URLParts
  private let host: String
  private let port: Int?

  init(_ text: String) throws(RedirectProblem) {
    parts = try URLParts(text, maximumBytes: Self.maximumBytes)
    (host, port) = try parts.endpoint()
  }

  /// Whether a provider's answer to a redirect URI arrives under this URL.
  ///
  /// A loopback address without a port stands for any port: the app takes what is free (RFC 8252 section
  /// 7.3).
  func answers(_ uri: RedirectURI) -> Bool {
    guard parts.scheme == uri.scheme, host == uri.host else { return false }
    guard RedirectURI.comparable(parts.path, form: uri.form) == uri.path else { return false }
    return port == uri.port || (uri.form == .loopback && uri.port == nil)
  }

  /// The parameters of the query, decoded as a form.
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
