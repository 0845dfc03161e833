// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON
import TokenCacheModel
import UnifiedCache

/// The ADAL items made from a token response; a pure function of the response and its context.
///
/// ADAL stores a resource's access token, the refresh token for all resources and the family's refresh token as
/// three items. AD FS issues a refresh token for one resource only; that token and the access token are stored as
/// one item.
struct ADALItems {
  /// The access token; the refresh token alone where the response has only one for the resource.
  let accessToken: ADALToken?
  let refreshToken: ADALToken?
  let family: ADALToken?

  /// The items in the order in which they are written: the refresh tokens before the access token.
  var all: [ADALToken] { [family, refreshToken, accessToken].compactMap(\.self) }

  /// Creates the items of a response.
  ///
  /// - Parameters:
  ///   - redeemedToken: The refresh token of a resource that was redeemed. It is kept when the response brings no new
  ///     one (RFC 6749 section 6), as is usual with AD FS.
  ///   - isMultiResource: Whether the response's refresh token is for all resources.
  init(
    _ response: TokenResponse, resource requested: String, of user: ADALUser?, _ context: ResponseContext,
    keeping redeemedToken: String? = nil, isMultiResource: Bool
  ) {
    let resource = response.resource ?? requested
    func item(resource: String?, clientID: String = context.clientID) -> ADALToken {
      var item = ADALToken(authority: context.authority.adalURL, resource: resource, clientID: clientID)
      item.setUser(from: response, of: user, at: context.now)
      return item
    }
    let ownRefreshToken = isMultiResource ? nil : response.refreshToken
    if response.accessToken != nil || ownRefreshToken != nil {
      var item = item(resource: resource)
      item.refreshToken = ownRefreshToken ?? (response.refreshToken == nil ? redeemedToken : nil)
      if let secret = response.accessToken {
        item.accessToken = secret
        item.accessTokenType = response.tokenType
        item.expiresOn = response.expiry(at: context.now)
        item.extendedExpiresOn = response.extendedExpiry(at: context.now)
        item.applicationIdentifier = context.applicationIdentifier
      }
      accessToken = item
    } else {
      accessToken = nil
    }
    guard isMultiResource, let secret = response.refreshToken else {
      (refreshToken, family) = (nil, nil)
      return
    }
    var item = item(resource: nil)
    item.refreshToken = secret
    item.familyID = response.familyID
    refreshToken = item
    guard let familyID = response.familyID else {
      family = nil
      return
    }
    var copy = ADALToken(
      authority: item.authority, resource: nil, clientID: ADALToken.familyPrefix + familyID)
    for (name, value) in item.fields where name != "client_id" { copy.fields[name] = value }
    family = copy
  }
}
