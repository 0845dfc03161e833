// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON
package import TokenCacheModel

/// The response of `sso-cache-oidc`, sent as one JSON document on standard output.
package enum HelperResponse: Sendable {
  /// The token endpoint sent this response.
  case response(TokenEndpointResponse)
  /// The authority can't be used, for this reason.
  case unusable(String)
  /// There was no response.
  case failure(HelperFailure)

  /// Parses a response that ``serialized()`` wrote.
  package init(parsing bytes: [UInt8]) throws {
    let members = try JSONValue(parsing: bytes).objectValue ?? [:]
    if let status = members["status"]?.textValue.flatMap(Int.init), let text = members["body"]?.stringValue,
      let body = Data(base64Encoded: text)
    {
      self = .response(
        TokenEndpointResponse(
          status: status, body: Array(body), retryAfter: members["retry_after"]?.stringValue)
      )
    } else if let detail = members["unusable"]?.stringValue {
      self = .unusable(detail)
    } else if let domain = members["domain"]?.stringValue,
      let code = members["code"]?.textValue.flatMap(Int.init)
    {
      self = .failure(HelperFailure(domain: domain, code: code))
    } else {
      throw SecretStoreError(.networkError, "The output of the tool's helper is not a response.")
    }
  }

  /// Returns the response as JSON.
  package func serialized() -> [UInt8] {
    switch self {
    case .response(let response):
      var members: JSONObject = [
        "status": .number(JSONNumber(response.status)),
        "body": .string(Data(response.body).base64EncodedString()),
      ]
      if let retryAfter = response.retryAfter { members["retry_after"] = .string(retryAfter) }
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
