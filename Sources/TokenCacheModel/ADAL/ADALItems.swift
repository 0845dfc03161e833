// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// The items of ADAL's that a response becomes: a pure function of the response and its circumstances.
///
/// ADAL keeps a resource's access token, the refresh token for all resources and a family's refresh token as three
/// items, and what AD FS gives, a refresh token for the same resource, as one.
struct ADALItems {
  let accessToken: ADALToken?
  let refreshToken: ADALToken?
  let family: ADALToken?

  /// In the order in which they are written: what others depend on first.
  var all: [ADALToken] { [family, refreshToken, accessToken].compactMap(\.self) }

  /// - Parameter kept: The resource's refresh token that was redeemed, which stays when the answer brings no other
  ///   (RFC 6749 section 6), as AD FS's mostly does.
  init(
    _ response: TokenResponse, resource asked: String, of user: ADALUser?, _ context: ResponseContext,
    keeping kept: String? = nil
  ) {
    let resource = response.resource ?? asked
    let isMultiResource = response.resource != nil && response.refreshToken != nil
    func item(resource: String?, clientID: String = context.clientID) -> ADALToken {
      var item = ADALToken(authority: context.authority.adalURL, resource: resource, clientID: clientID)
      item.take(response, of: user, at: context.now)
      return item
    }
    if let secret = response.accessToken {
      var item = item(resource: resource)
      item.accessToken = secret
      item.accessTokenType = response.tokenType
      item.expiresOn = context.now.addingTimeInterval(Double(response.expiresIn))
      if response.statedLifetime == nil, let point = response.expiresOn {
        item.expiresOn = Date(timeIntervalSince1970: Double(point))
      }
      item.extendedExpiresOn = response.extendedExpiresIn.map { context.now.addingTimeInterval(Double($0)) }
      item.applicationIdentifier = context.applicationIdentifier
      if !isMultiResource { item.refreshToken = response.refreshToken ?? kept }
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

extension ADALToken {
  /// Takes up whose it is from a response.
  mutating func take(_ response: TokenResponse, of user: ADALUser?, at now: Date) {
    cachedAt = now
    userID = user?.userID
    homeAccountID = user?.homeAccountID
    idToken = response.idToken
    uniqueID = response.claims?.localAccountID
    tenantID = response.claims?.tenantID
    givenName = response.claims?["given_name"]
    familyName = response.claims?["family_name"]
    identityProvider = response.claims?["idp"] ?? response.claims?["iss"]
  }
}

extension ADALUser {
  /// The user that a response is about: as it says, else the one whose refresh token was redeemed.
  init?(_ response: TokenResponse, known: ADALUser? = nil) {
    guard let userID = response.claims?.adalUserID ?? known?.userID else { return nil }
    self.userID = userID
    self.homeAccountID = response.clientInfo?.homeAccountID ?? known?.homeAccountID
  }
}

extension IDTokenClaims {
  /// What ADAL names the user by: the name that is fit to be shown, else an id that is not.
  fileprivate var adalUserID: String? { self["upn"] ?? username ?? subject }
}
