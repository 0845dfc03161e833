// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

/// Key addresses in the form of ADAL for iOS.
@Suite("ADAL token key")
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

  @Test("An access token's key has its authority, resource, client and user")
  func golden() {
    let key = KeychainItemKey(of: token())
    #expect(key.service == "MSOpenTech.ADAL.1|\(Self.encodedLogin)|cmVzb3VyY2U|Y2xpZW50")
    #expect(key.account == "dXNlckBjb250b3NvLmNvbQ")
    #expect(key.generic == "MSOpenTech.ADAL.1")
    #expect(key.type == nil)
  }

  @Test("The key of a refresh token for all resources has a constant in the resource's place")
  func multiResource() {
    let key = KeychainItemKey(of: token(resource: nil))
    #expect(
      key.service == "MSOpenTech.ADAL.1|\(Self.encodedLogin)|CC3513A0-0E69-4B4D-97FC-DFB6C91EE132|Y2xpZW50")
  }

  @Test("The key of a family's refresh token has the family in the client's place")
  func family() {
    #expect(KeychainItemKey(of: token(resource: nil, client: "foci-1")).service.hasSuffix("|Zm9jaS0x"))
  }

  @Test("The key of a token without a user, as from AD FS, has an empty account")
  func nobody() { #expect(KeychainItemKey(of: token(user: nil)).account.isEmpty) }

  @Test("The key of a token partitioned by app has the app after the schema's name")
  func app() {
    var token = token()
    token.applicationIdentifier = "app.bundle.id"
    #expect(KeychainItemKey(of: token).service.hasPrefix("MSOpenTech.ADAL.1-YXBwLmJ1bmRsZS5pZA|"))
  }

  @Test("The key ignores case and surrounding white space of the user ID")
  func sameItem() {
    let other = token(
      "HTTPS://LOGIN.MICROSOFTONLINE.COM/Common", resource: "Resource", client: "CLIENT",
      user: " User@Contoso.com ")
    #expect(KeychainItemKey(of: other) == KeychainItemKey(of: token()))
    #expect(RecordKey.legacy(other).key == RecordKey.legacy(token()).key)
  }

  @Test("Keys that differ in any part are different")
  func otherItems() {
    let all = [
      token(), token("https://login.microsoftonline.com/contoso.com"), token(resource: "other"),
      token(resource: nil), token(client: "other"), token(user: "other@contoso.com"), token(user: nil),
    ]
    #expect(Set(all.map { RecordKey.legacy($0) }).count == all.count)
  }

  @Test("A record's key reveals neither the user nor the resource")
  func hidden() {
    let key = RecordKey.legacy(token())
    #expect(key.account.isEmpty && key.clientID == "client")
    #expect(key.environment == "login.windows.net")
    #expect(!"\(key)".contains("contoso") && !"\(key)".contains("resource"))
  }

  @Test("An item's description and mirror show no content")
  func redacted() {
    var token = token()
    token.accessToken = "very secret"
    #expect("\(token)" == "ADALToken(redacted)")
    #expect(!String(reflecting: token).contains("secret") && Mirror(reflecting: token).children.isEmpty)
  }
}
