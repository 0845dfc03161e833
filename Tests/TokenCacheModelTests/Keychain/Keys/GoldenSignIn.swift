// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

/// A sign-in of the MSAL libraries' common test data: the response, and the keys that MSAL for iOS and
/// macOS expects.
struct GoldenSignIn: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let authority: String
  let clientID: String
  /// The token endpoint's response.
  let response: JSONObject
  /// The members of the entries as MSAL for iOS and macOS stores them; an entry has those of its kind.
  let members: JSONObject
  /// The account of all keys but the app metadata's.
  let account: String
  let accessToken: KeychainAttributes
  let refreshToken: KeychainAttributes
  let idToken: KeychainAttributes
  let accountEntry: KeychainAttributes
  let appMetadata: KeychainAttributes

  /// - Parameters:
  ///   - members: `home_account_id`, `realm`, `target`, `username`, and what else the access token has.
  ///   - accessToken: The access token's service, generic attribute and type.
  ///   - family: The family's id; the refresh token is then the family's.
  init(
    _ name: String, authority: String, clientID: String, response: JSONObject, members: JSONObject,
    account: String, accessToken: (String, String, Int), tenant: String, username: String,
    family: String? = nil
  ) {
    self.testDescription = name
    self.authority = authority
    self.clientID = clientID
    self.response = response
    self.members = members.changed(by: ["environment": "login.microsoftonline.com"])
    self.account = account
    self.accessToken = KeychainAttributes(account, accessToken.0, accessToken.1, accessToken.2)
    let owner = family ?? clientID
    self.refreshToken = KeychainAttributes(account, "refreshtoken-\(owner)--", "refreshtoken-\(owner)-", 2002)
    self.idToken = KeychainAttributes(
      account, "idtoken-\(clientID)-\(tenant)-", "idtoken-\(clientID)-\(tenant)", 2003)
    self.accountEntry = KeychainAttributes(account, tenant, username, 1003)
    self.appMetadata = KeychainAttributes(
      "login.microsoftonline.com", "appmetadata-\(clientID)", family ?? "", 3001)
  }
}
