// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON
import UnifiedCache

/// A writer of the cache of ADAL for Python.
///
/// The library looks for responses by client and user, then for the one with the authority and resource. It
/// requires that each response found has a resource, `isMRRT`, an access token and an expiry. A refresh token
/// without an access token gets a response of its own, with an empty access token and a `null` resource. The
/// library redeems it like any other.
struct PythonCacheWriter {
  private let time: PythonTime

  init(zone: LocalZone) { time = PythonTime(zone: zone) }

  func write(_ tokens: [ADALToken]) -> ADALExport {
    let writable = ADALToken.merged(tokens.compactMap(Self.asRead))
    var refreshTokens: [ADALToken.Identity: ADALToken] = [:]
    for token in writable where token.kind == .multiResourceRefreshToken {
      refreshTokens[ADALToken.Identity(of: token)] = token
    }
    var joined: Set<ADALToken.Identity> = []
    var responses: [JSONValue] = []
    for token in writable where token.kind == .accessToken {
      let identity = token.identityOfRefreshToken
      if refreshTokens[identity] != nil { joined.insert(identity) }
    }
    for token in writable {
      switch token.kind {
      case .accessToken:
        responses.append(response(token, with: refreshTokens[token.identityOfRefreshToken]))
      case .multiResourceRefreshToken, .familyRefreshToken:
        if !joined.contains(ADALToken.Identity(of: token)) { responses.append(response(token, with: token)) }
      case .singleResource, nil:
        responses.append(response(token, with: nil))
      }
    }
    return ADALExport(
      bytes: JSONValue.array(responses).serialized(pretty: true), leftOut: tokens.count - writable.count)
  }

  /// Returns an item as the library will read it, without what the format can't represent; `nil` when the format
  /// can't represent the item.
  private static func asRead(_ token: ADALToken) -> ADALToken? {
    guard token.subject == .user || (token.subject == .client && token.refreshToken == nil),
      token.applicationIdentifier == nil
    else { return nil }
    switch token.kind {
    case .accessToken, .singleResource:
      var token = token
      token.subject = token.belongsToClient ? .client : .user
      if token.refreshToken == nil { token.familyID = nil }
      return token
    case .multiResourceRefreshToken, .familyRefreshToken: return token.refreshItem
    case nil: return nil
    }
  }

  /// Returns a response with an item's access token and, if there is one, its refresh token for all resources.
  private func response(_ token: ADALToken, with refreshToken: ADALToken?) -> JSONValue {
    var response: JSONObject = [:]
    func set(_ name: PythonMember, _ text: String?) { response[name.rawValue] = text.map(JSONValue.string) }
    set(.tokenType, token.accessTokenType)
    set(.accessToken, token.accessToken ?? "")
    set(.refreshToken, refreshToken?.refreshToken ?? token.refreshToken)
    set(.createdOn, time.text(token.cachedAt))
    set(.expiresOn, time.text(token.expiresOn) ?? time.unknown)
    set(.extendedExpiresOn, time.text(token.extendedExpiresOn))
    set(.userID, token.userID)
    if token.userID != nil {
      response[PythonMember.isUserIDDisplayable.rawValue] = .bool(token.isUserIDDisplayable)
    }
    set(.tenantID, token.tenantID)
    set(.givenName, token.givenName)
    set(.familyName, token.familyName)
    set(.identityProvider, token.identityProvider)
    set(.objectID, token.uniqueID)
    set(.idToken, token.idToken)
    set(.homeAccountID, token.homeAccountID)
    set(.familyID, refreshToken?.familyID ?? token.familyID)
    response[PythonMember.resource.rawValue] = token.resource.map(JSONValue.string) ?? .null
    response[PythonMember.isMRRT.rawValue] = .bool(refreshToken != nil)
    set(.clientID, token.clientID)
    set(.authority, token.authority)
    for (name, value) in token.extras(of: .python) where !PythonMember.names.contains(name) {
      response[name] = value
    }
    return .object(response)
  }
}
