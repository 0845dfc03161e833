// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
package import TokenCacheModel

/// What came of a request, as `sso-cache-oidc` tells it on its standard output: one JSON document.
package enum ExchangeAnswer: Sendable {
  /// What the token endpoint answered.
  case reply(TokenEndpointReply)
  /// The authority can't be used, for a reason that can be told.
  case unusable(String)
  /// There was no answer.
  case failure(ExchangeFailure)

  /// Reads what ``serialized()`` wrote.
  package init(parsing bytes: [UInt8]) throws {
    let members = try JSONValue(parsing: bytes).objectValue ?? [:]
    if let status = members["status"]?.textValue.flatMap(Int.init), let text = members["body"]?.stringValue,
      let body = Data(base64Encoded: text)
    {
      self = .reply(
        TokenEndpointReply(status: status, body: Array(body), retryAfter: members["retry_after"]?.stringValue)
      )
    } else if let detail = members["unusable"]?.stringValue {
      self = .unusable(detail)
    } else if let domain = members["domain"]?.stringValue,
      let code = members["code"]?.textValue.flatMap(Int.init)
    {
      self = .failure(ExchangeFailure(domain: domain, code: code))
    } else {
      throw SecretStoreError(.networkError, "That is not an answer.")
    }
  }

  /// The answer as JSON.
  package func serialized() -> [UInt8] {
    switch self {
    case .reply(let reply):
      var members: JSONObject = [
        "status": .number(JSONNumber(reply.status)),
        "body": .string(Data(reply.body).base64EncodedString()),
      ]
      if let retryAfter = reply.retryAfter { members["retry_after"] = .string(retryAfter) }
      return JSONValue.object(members).serialized()
    case .unusable(let detail):
      return JSONValue.object(["unusable": .string(detail)]).serialized()
    case .failure(let failure):
      return JSONValue.object([
        "domain": .string(failure.domain), "code": .number(JSONNumber(failure.code)),
      ]).serialized()
    }
  }
}
