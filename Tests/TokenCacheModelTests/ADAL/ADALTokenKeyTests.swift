// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel

/// Addresses as ADAL for iOS forms them.
@Suite("ADAL's keys")
struct ADALTokenKeyTests {
  private static let login = "https://login.microsoftonline.com/common"
  private static let encodedLogin = "aHR0cHM6Ly9sb2dpbi5taWNyb3NvZnRvbmxpbmUuY29tL2NvbW1vbg"

  private func token(
    _ authority: String = login, resource: String? = "resource", client: String = "client",
    user: String? = "user@contoso.com"
  ) -> ADALToken {
    var token = ADALToken(authority: authority, resource: resource, clientID: client)
    token.accessToken = "at"
    token.userID = user
    return token
  }

  @Test("An access token stands under its authority, resource and client, and the user")
  func golden() {
    let key = KeychainItemKey(of: token())
    #expect(key.service == "MSOpenTech.ADAL.1|\(Self.encodedLogin)|cmVzb3VyY2U|Y2xpZW50")
    #expect(key.account == "dXNlckBjb250b3NvLmNvbQ")
    #expect(key.generic == "MSOpenTech.ADAL.1")
    #expect(key.type == nil)
  }

  @Test("A refresh token for all resources has a fixed word in the resource's place")
  func multiResource() {
    let key = KeychainItemKey(of: token(resource: nil))
    #expect(
      key.service == "MSOpenTech.ADAL.1|\(Self.encodedLogin)|CC3513A0-0E69-4B4D-97FC-DFB6C91EE132|Y2xpZW50")
  }

  @Test("A family's refresh token stands under the family in the client's place")
  func family() {
    #expect(KeychainItemKey(of: token(resource: nil, client: "foci-1")).service.hasSuffix("|Zm9jaS0x"))
  }

  @Test("Nobody's token, as AD FS gives it, has an empty account")
  func nobody() { #expect(KeychainItemKey(of: token(user: nil)).account.isEmpty) }

  @Test("A token that is kept apart for an app has the app behind the schema's name")
  func app() {
    var token = token()
    token.applicationIdentifier = "app.bundle.id"
    #expect(KeychainItemKey(of: token).service.hasPrefix("MSOpenTech.ADAL.1-YXBwLmJ1bmRsZS5pZA|"))
  }

  @Test("Neither case nor white space around the user's id makes another item")
  func sameItem() {
    let other = token(
      "HTTPS://LOGIN.MICROSOFTONLINE.COM/Common", resource: "Resource", client: "CLIENT",
      user: " User@Contoso.com ")
    #expect(KeychainItemKey(of: other) == KeychainItemKey(of: token()))
    #expect(RecordKey.legacy(other).key == RecordKey.legacy(token()).key)
  }

  @Test("Every part makes another item")
  func otherItems() {
    let all = [
      token(), token("https://login.microsoftonline.com/contoso.com"), token(resource: "other"),
      token(resource: nil), token(client: "other"), token(user: "other@contoso.com"), token(user: nil),
    ]
    #expect(Set(all.map { RecordKey.legacy($0) }).count == all.count)
  }

  @Test("A record's key tells neither the user nor the resource")
  func hidden() {
    let key = RecordKey.legacy(token())
    #expect(key.account.isEmpty && key.clientID == "client")
    #expect(key.environment == "login.windows.net")
    #expect(!"\(key)".contains("contoso") && !"\(key)".contains("resource"))
  }

  @Test("An item's description and mirror show nothing")
  func redacted() {
    var token = token()
    token.accessToken = "very secret"
    #expect("\(token)" == "ADALToken(redacted)")
    #expect(!String(reflecting: token).contains("secret") && Mirror(reflecting: token).children.isEmpty)
  }
}
