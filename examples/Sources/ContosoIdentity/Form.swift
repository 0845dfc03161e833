// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// Fields of the type `application/x-www-form-urlencoded`, for the query of a URL or the body of a POST request.
struct Form: Sendable {
  let fields: [(name: String, value: String)]

  /// Creates a form.
  ///
  /// Fields with the value `nil` are left out.
  init(fields: KeyValuePairs<String, String?>) {
    self.fields = fields.compactMap { field in field.value.map { (name: field.key, value: $0) } }
  }

  /// The encoded form.
  var encoded: String { TokenRequest.encode(fields) }

  /// Returns the URL with the fields added to its query, which may exist already (RFC 6749 section 3.1).
  func appended(to url: URL) -> URL {
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    components?.percentEncodedQuery = [url.query, encoded].compactMap(\.self).joined(separator: "&")
    return components?.url ?? url
  }

  /// Decodes a query.
  ///
  /// A plus sign is a space. Of repeated fields, the first one counts.
  static func decode(_ query: String) -> [String: String] {
    let fields = query.split(separator: "&").map { field in
      let parts = field.replacing("+", with: "%20")
        .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.removingPercentEncoding ?? "" }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
    return Dictionary(fields) { first, _ in first }
  }
}
