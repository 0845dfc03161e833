// SPDX-License-Identifier: MIT

import Foundation

/// Fields in the form `application/x-www-form-urlencoded`: the query of a URL, or the body of a POST.
struct Form: Sendable {
  let fields: [(key: String, value: String)]

  /// Makes a form; a field whose value is `nil` is left out.
  init(fields: KeyValuePairs<String, String?>) {
    self.fields = fields.compactMap { field in field.value.map { (key: field.key, value: $0) } }
  }

  /// The encoded text.
  ///
  /// All but the unreserved characters of RFC 3986 section 2.3 is escaped, so that every decoder agrees on
  /// it.
  var encoded: String {
    fields.map { "\(Self.escape($0.key))=\(Self.escape($0.value))" }.joined(separator: "&")
  }

  /// The URL with the fields added to its query, which it may have already (RFC 6749 section 3.1).
  func appended(to url: URL) -> URL {
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    components?.percentEncodedQuery = [url.query, encoded].compactMap(\.self).joined(separator: "&")
    return components?.url ?? url
  }

  /// Reads a query, in which a space may be a plus sign; of a field that is there twice, the first one.
  static func decode(_ query: String) -> [String: String] {
    let fields = query.split(separator: "&").map { field in
      let parts = field.replacing("+", with: "%20")
        .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.removingPercentEncoding ?? "" }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
    return Dictionary(fields) { first, _ in first }
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  private static func escape(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
