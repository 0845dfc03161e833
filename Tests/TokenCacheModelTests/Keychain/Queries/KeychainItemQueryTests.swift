// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

@testable import KeychainItems

/// The attributes of a query by MSAL for iOS and macOS, depending on the known parts.
@Suite("Keychain item query")
struct KeychainItemQueryTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let kind: CredentialKind?
    let given: QueryPart
    let service: String?
    let generic: String?
    let type: Int?

    init(
      _ kind: CredentialKind?, _ given: QueryPart, service: String? = nil, generic: String? = nil, type: Int?
    ) {
      self.kind = kind
      self.given = given
      self.service = service
      self.generic = generic
      self.type = type
    }

    var testDescription: String { "\(kind?.rawValue ?? "any") \(given.rawValue)" }
  }

  private static let all: QueryPart = [.client, .realm, .target]
  private static let token = "accesstoken-client-contoso.com"
  private static let bound = "accesstoken_with_authscheme-client-contoso.com"

  private static let accessTokens = [
    Row(.accessToken, all, service: "\(token)-user.read", generic: token, type: 2001),
    Row(
      .accessToken, [.client, .realm, .target, .app], service: "\(token)-app.bundle.id-user.read",
      generic: "\(token)-app.bundle.id", type: 2001),
    Row(
      .accessToken, [.client, .realm, .target, .claims], service: "\(token)-user.read|ba7816b",
      generic: token, type: 2001),
    Row(
      .accessToken, [.client, .family, .realm, .target],
      service: "accesstoken-family-contoso.com-user.read", generic: "accesstoken-family-contoso.com",
      type: 2001),
    Row(.accessToken, [.client, .realm], generic: token, type: 2001),
    Row(.accessToken, [.client, .realm, .app], generic: "\(token)-app.bundle.id", type: 2001),
    Row(.accessToken, [.client, .target], type: 2001),
    Row(.accessToken, [.client], type: 2001),
    Row(.accessToken, [.realm, .target], type: 2001),
    Row(.accessToken, [], type: 2001),
    Row(.accessTokenWithAuthScheme, all, service: "\(bound)-user.read", generic: bound, type: 2007),
    Row(
      .accessTokenWithAuthScheme, [.client, .realm, .target, .scheme], service: "\(bound)-user.read-pop",
      generic: bound, type: 2007),
    Row(
      .accessTokenWithAuthScheme, [.client, .realm, .target, .scheme, .app, .claims],
      service: "\(bound)-app.bundle.id-user.read-pop|ba7816b", generic: "\(bound)-app.bundle.id", type: 2007),
    Row(.accessTokenWithAuthScheme, [.client, .realm, .scheme], generic: bound, type: 2007),
    Row(.accessTokenWithAuthScheme, [.realm, .target, .scheme], type: 2007),
  ]

  private static let refreshTokens = [
    Row(
      .refreshToken, all, service: "refreshtoken-client--", generic: "refreshtoken-client-", type: 2002),
    Row(
      .refreshToken, [.client], service: "refreshtoken-client--", generic: "refreshtoken-client-",
      type: 2002),
    Row(
      .refreshToken, [.client, .family, .realm, .target], service: "refreshtoken-family--",
      generic: "refreshtoken-family-", type: 2002),
    Row(
      .refreshToken, [.family], service: "refreshtoken-family--", generic: "refreshtoken-family-",
      type: 2002),
    Row(.refreshToken, [.realm, .target], type: 2002),
    Row(.refreshToken, [], type: 2002),
    Row(.primaryRefreshToken, [.client], service: "primaryrefreshtoken-client--", type: 2005),
    Row(
      .primaryRefreshToken, [.client, .realm], service: "primaryrefreshtoken-client--",
      generic: "primaryrefreshtoken-client-contoso.com", type: 2005),
    Row(.primaryRefreshToken, [.realm], type: 2005),
    Row(.familyRefreshToken, [.client, .family, .target], type: 2008),
    Row(
      .familyRefreshToken, [.family, .realm], generic: "familyrefreshtoken-family-contoso.com", type: 2008),
    Row(.boundRefreshToken, [.client, .target], type: 2009),
    Row(.boundRefreshToken, [.client, .realm], generic: "boundrefreshtoken-client-contoso.com", type: 2009),
  ]

  private static let others = [
    Row(
      .idToken, all, service: "idtoken-client-contoso.com-", generic: "idtoken-client-contoso.com",
      type: 2003),
    Row(
      .idToken, [.client, .realm, .app, .scheme, .claims], service: "idtoken-client-contoso.com-",
      generic: "idtoken-client-contoso.com", type: 2003),
    Row(.idToken, [.client], type: 2003),
    Row(.idToken, [.realm], type: 2003),
    Row(.idToken, [.family, .realm], generic: "idtoken-family-contoso.com", type: 2003),
    Row(
      .idToken, [.client, .family, .realm], service: "idtoken-client-contoso.com-",
      generic: "idtoken-family-contoso.com", type: 2003),
    Row(
      .v1IDToken, [.client, .realm], service: "v1idtoken-client-contoso.com-",
      generic: "v1idtoken-client-contoso.com", type: 2006),
    Row(.v1IDToken, [.client], type: 2006),
    Row(
      .v1IDToken, [.client, .family, .realm], service: "v1idtoken-client-contoso.com-",
      generic: "v1idtoken-family-contoso.com", type: 2006),
    Row(nil, all, type: nil),
    Row(nil, [.client, .family, .realm, .target, .app, .scheme, .claims], type: nil),
    Row(nil, [.client], type: nil),
    Row(nil, [], type: nil),
  ]

  private static let table = accessTokens + refreshTokens + others

  @Test("Service, generic attribute and type are set if their parts are known", arguments: table)
  func attributes(_ row: Row) {
    let query = KeychainItemQuery(row.given.union(.account).criteria(row.kind))
    #expect(
      KeychainAttributes(query)
        == KeychainAttributes(KeychainSample.account, row.service, row.generic, row.type))
    #expect(query.isExactMatch == (row.service != nil))
  }

  @Test(
    "Without home account or environment the account is open, the rest remains, and no match is exact",
    arguments: table, [[], .home, .environment] as [QueryPart])
  func withoutAccount(_ row: Row, account: QueryPart) {
    let query = KeychainItemQuery(row.given.union(account).criteria(row.kind))
    #expect(KeychainAttributes(query) == KeychainAttributes(nil, row.service, row.generic, row.type))
    #expect(!query.isExactMatch)
  }

  @Test("Inexact scopes leave only an access token's service open", arguments: table)
  func inexactTarget(_ row: Row) {
    var criteria = row.given.union(.account).criteria(row.kind)
    criteria.isTargetExact = false
    let service = row.kind?.isAccessToken == true ? nil : row.service
    #expect(
      KeychainAttributes(KeychainItemQuery(criteria))
        == KeychainAttributes(KeychainSample.account, service, row.generic, row.type))
  }

  @Test("An inexact client leaves all services open except an ID token's", arguments: table)
  func inexactClient(_ row: Row) {
    var criteria = row.given.union(.account).criteria(row.kind)
    criteria.isClientExact = false
    let service = row.kind == .idToken || row.kind == .v1IDToken ? row.service : nil
    #expect(
      KeychainAttributes(KeychainItemQuery(criteria))
        == KeychainAttributes(KeychainSample.account, service, nil, row.type))
  }

  @Test("Scopes and clients are exact by default")
  func defaults() {
    let criteria = KeychainCredentialCriteria(kind: .accessToken)
    #expect(criteria.isTargetExact)
    #expect(criteria.isClientExact)
  }
}
