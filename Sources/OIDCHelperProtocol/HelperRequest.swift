// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON
package import TokenCacheModel

/// A request from `sso-cache` to `sso-cache-oidc`, sent as one line of JSON on standard input.
package struct HelperRequest: Sendable {
  /// The authority whose token endpoint is called.
  package let authority: Authority
  /// The header fields of the HTTP request.
  package let headers: [(name: String, value: String)]
  /// The form body of the HTTP request.
  package let body: String
  /// The time for discovery and the request together, in milliseconds.
  package let limit: Int64

  /// The part of the limit that is kept for the token request, in milliseconds.
  ///
  /// The token request is not sent with less left: a response that comes after the limit is lost, and the refresh token
  /// may be spent.
  package let reserve: Int64

  package init(_ request: TokenRequest, within limit: Duration, reserving reserve: Duration) {
    self.limit = limit.milliseconds
    self.reserve = reserve.milliseconds
    authority = request.authority
    headers = request.headers
    body = request.formBody
  }

  /// Parses a request that ``serialized()`` wrote.
  package init(parsing bytes: [UInt8]) throws {
    let members = try JSONValue(parsing: bytes).objectValue
    guard let authority = members?["authority"]?.stringValue, let body = members?["body"]?.stringValue,
      let headers = members?["headers"]?.arrayValue,
      let limit = members?["limit"]?.textValue.flatMap({ Int64($0) }),
      let reserve = members?["reserve"]?.textValue.flatMap({ Int64($0) })
    else { throw SecretStoreError(.invalidArgument, "That is not a request.") }
    self.authority = try Authority(authority)
    self.body = body
    self.limit = limit
    self.reserve = reserve
    self.headers = headers.compactMap { header in
      guard let name = header.objectValue?["name"]?.stringValue,
        let value = header.objectValue?["value"]?.stringValue
      else { return nil }
      return (name, value)
    }
  }

  /// Returns the request as one line of JSON.
  package func serialized() -> [UInt8] {
    let headers = headers.map { JSONValue.object(["name": .string($0.name), "value": .string($0.value)]) }
    return JSONValue.object([
      "authority": .string(authority.url.absoluteString), "headers": .array(headers), "body": .string(body),
      "limit": .string("\(limit)"), "reserve": .string("\(reserve)"),
    ]).serialized() + [UInt8(ascii: "\n")]
  }
}

extension HelperRequest: CustomStringConvertible, CustomReflectable {
  /// The host of the authority.
  ///
  /// The body is left out because it contains a refresh token.
  package var description: String { "HelperRequest(\(authority.host), body: redacted)" }

  /// A mirror that shows only the authority's host.
  package var customMirror: Mirror { Mirror(self, children: ["authority": authority.host]) }
}
