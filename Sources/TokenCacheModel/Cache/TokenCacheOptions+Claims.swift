// SPDX-License-Identifier: MIT

public import KeychainGroupModel
import StrictJSON

extension TokenCacheOptions {
  /// Returns the `claims` of a request: the given claims with the client's capabilities added.
  ///
  /// Silent calls do this by themselves. An interactive sign-in sends the result to the authorization endpoint and to
  /// the token endpoint. The capabilities are the values of `xms_cc` for the access token; values that the claims
  /// already have there stay.
  ///
  /// - Parameter claims: A resource's challenge, as JSON; `nil` for none.
  /// - Returns: The claims as JSON; `nil` when there are neither claims nor capabilities.
  /// - Throws: `invalidArgument` when the claims are no JSON object, or `access_token` or its `xms_cc` is none.
  public func claims(adding claims: String? = nil) throws(SecretStoreError) -> String? {
    var all: JSONObject = [:]
    if let claims {
      guard let object = JSONValue.lenientObject(Array(claims.utf8)) else {
        throw SecretStoreError(.invalidArgument, "The claims are no JSON object.")
      }
      all = object
    }
    if clientCapabilities.isEmpty { return claims }
    var token = try Self.object(all["access_token"], "access_token")
    var request = try Self.object(token["xms_cc"], "xms_cc")
    let values = request["values"]?.arrayValue ?? []
    let missing = clientCapabilities.map(JSONValue.string).filter { !values.contains($0) }
    request["values"] = .array(values + missing)
    token["xms_cc"] = .object(request)
    all["access_token"] = .object(token)
    return String(decoding: JSONValue.object(all).serialized(), as: UTF8.self)
  }

  /// Returns the members of a claim's request; none for an absent one and for `null`, which asks for the claim as it
  /// is.
  private static func object(_ value: JSONValue?, _ name: String) throws(SecretStoreError) -> JSONObject {
    switch value {
    case nil, .null?: return [:]
    case .object(let members)?: return members
    default: throw SecretStoreError(.invalidArgument, "The claims' \(name) is no JSON object.")
    }
  }
}
