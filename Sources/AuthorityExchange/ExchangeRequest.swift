// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
package import TokenCacheModel

/// What `sso-cache` asks `sso-cache-oidc` to send: a line of JSON on its standard input.
package struct ExchangeRequest: Sendable {
  /// The authority whose token endpoint is meant.
  package let authority: Authority
  /// The header fields to send.
  package let headers: [(name: String, value: String)]
  /// The form to post.
  package let body: String

  package init(_ request: TokenRequest) {
    authority = request.authority
    headers = request.headers
    body = request.formBody
  }

  /// Reads what ``serialized()`` wrote.
  package init(parsing bytes: [UInt8]) throws {
    let members = try JSONValue(parsing: bytes).objectValue
    guard let authority = members?["authority"]?.stringValue, let body = members?["body"]?.stringValue,
      let headers = members?["headers"]?.arrayValue
    else { throw SecretStoreError(.invalidArgument, "That is not a request.") }
    self.authority = try Authority(authority)
    self.body = body
    self.headers = headers.compactMap { header in
      guard let name = header.objectValue?["name"]?.stringValue,
        let value = header.objectValue?["value"]?.stringValue
      else { return nil }
      return (name, value)
    }
  }

  /// The request as one line.
  package func serialized() -> [UInt8] {
    let headers = headers.map { JSONValue.object(["name": .string($0.name), "value": .string($0.value)]) }
    return JSONValue.object([
      "authority": .string(authority.url.absoluteString), "headers": .array(headers), "body": .string(body),
    ]).serialized() + [UInt8(ascii: "\n")]
  }
}

extension ExchangeRequest: CustomStringConvertible, CustomReflectable {
  /// Names the authority; the body holds a refresh token.
  package var description: String { "ExchangeRequest(\(authority.host), body: redacted)" }

  /// Shows the authority only.
  package var customMirror: Mirror { Mirror(self, children: ["authority": authority.host]) }
}
