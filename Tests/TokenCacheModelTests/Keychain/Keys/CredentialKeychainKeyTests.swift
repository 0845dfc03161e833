// SPDX-License-Identifier: MIT

import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Keys in the form of MSAL for iOS and macOS, with the vectors of its tests.
@Suite("Keychain keys of credentials")
struct CredentialKeychainKeyTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let kind: CredentialKind
    let changes: JSONObject
    let service: String
    let generic: String
    let type: Int

    init(_ kind: CredentialKind, _ changes: JSONObject, _ service: String, _ generic: String, _ type: Int) {
      self.kind = kind
      self.changes = changes
      self.service = service
      self.generic = generic
      self.type = type
    }

    var testDescription: String { service }
  }

  private static let scopes = "user.read user.write"
  private static let token = "accesstoken-client-contoso.com"
  private static let bound = "accesstoken_with_authscheme-client-contoso.com"
  private static let app: JSONObject = ["application_cache_identifier": "app.bundle.id"]

  private static let table = [
    Row(.accessToken, [:], "\(token)-\(scopes)", token, 2001),
    Row(.accessToken, app, "\(token)-app.bundle.id-\(scopes)", "\(token)-app.bundle.id", 2001),
    Row(.accessTokenWithAuthScheme, ["token_type": "Pop"], "\(bound)-\(scopes)-pop", bound, 2007),
    Row(.accessTokenWithAuthScheme, ["token_type": "ssh-cert"], "\(bound)-\(scopes)-ssh-cert", bound, 2007),
    Row(
      .accessTokenWithAuthScheme, app.changed(by: ["token_type": "Pop"]),
      "\(bound)-app.bundle.id-\(scopes)-pop", "\(bound)-app.bundle.id", 2007),
    Row(.refreshToken, [:], "refreshtoken-client--", "refreshtoken-client-", 2002),
    Row(.refreshToken, ["family_id": "1"], "refreshtoken-1--", "refreshtoken-1-", 2002),
    Row(.refreshToken, ["family_id": "familyID"], "refreshtoken-familyid--", "refreshtoken-familyid-", 2002),
    Row(.familyRefreshToken, ["family_id": "1"], "familyrefreshtoken-1--", "familyrefreshtoken-1-", 2008),
    Row(.boundRefreshToken, [:], "boundrefreshtoken-client--", "boundrefreshtoken-client-", 2009),
    Row(.boundRefreshToken, ["family_id": "1"], "boundrefreshtoken-1--", "boundrefreshtoken-1-", 2009),
    Row(.idToken, [:], "idtoken-client-contoso.com-", "idtoken-client-contoso.com", 2003),
    Row(.v1IDToken, [:], "v1idtoken-client-contoso.com-", "v1idtoken-client-contoso.com", 2006),
    Row(.primaryRefreshToken, [:], "primaryrefreshtoken-client--", "primaryrefreshtoken-client-", 2005),
  ]

  private func expect(_ row: Row, changing changes: JSONObject = [:]) throws {
    #expect(
      try KeychainSample.attributes(row.kind, row.changes.changed(by: changes))
        == KeychainAttributes(KeychainSample.account, row.service, row.generic, row.type))
  }

  @Test("Each kind of credential has its account, service, generic attribute and type", arguments: table)
  func kinds(_ row: Row) throws { try expect(row) }

  @Test("The table has every kind")
  func complete() {
    #expect(Set(Self.table.map(\.kind)) == Set(CredentialKind.allCases))
  }

  @Test("Parts in upper case make a key in lower case", arguments: table)
  func upperCase(_ row: Row) throws {
    var changes = try KeychainSample.credential(row.kind, row.changes).fields
    for (name, value) in changes {
      if let text = value.stringValue { changes[name] = .string(text.uppercased()) }
    }
    try expect(row, changing: changes)
  }

  @Test(
    "Surrounding white space of a part is removed, inner white space remains",
    arguments: table, [" ", "\u{A0}", " \u{2029}\u{3000}"])
  func whiteSpace(_ row: Row, space: String) throws {
    var changes = try KeychainSample.credential(row.kind, row.changes).fields
    for (name, value) in changes where name != "credential_type" {
      if let text = value.stringValue { changes[name] = .string(space + text + space) }
    }
    try expect(row, changing: changes)
  }

  @Test(
    "A part that is absent, empty, blank or no text leaves its hyphen",
    arguments: [.null, "", " \u{2028}", 1, ["contoso.com"]] as [JSONValue])
  func missingParts(_ value: JSONValue) throws {
    let token = try KeychainSample.attributes(.accessToken, ["realm": value, "target": value])
    #expect(token.service == "accesstoken-client--")
    #expect(token.generic == "accesstoken-client-")
    let idToken = try KeychainSample.attributes(.idToken, ["realm": value])
    #expect(idToken.service == "idtoken-client--")
    #expect(idToken.generic == "idtoken-client-")
  }

  @Test("An entry without an account keeps the hyphen")
  func missingAccount() {
    let entry = CredentialEntry(
      kind: .refreshToken, homeAccountID: "", environment: "login.microsoftonline.com", clientID: "",
      secret: "s")
    #expect(
      KeychainAttributes(KeychainItemKey(of: entry))
        == KeychainAttributes("-login.microsoftonline.com", "refreshtoken---", "refreshtoken--", 2002))
  }

  @Test("Scopes are in the order in which they were granted")
  func scopeOrder() throws {
    #expect(
      try KeychainSample.key(.accessToken, ["target": "User.Write  User.Read"]).service
        == "accesstoken-client-contoso.com-user.write  user.read")
  }

  @Test("The environment is verbatim: another host of the cloud has another key")
  func environment() throws {
    #expect(
      try KeychainSample.key(.refreshToken, ["environment": "login.windows.net"]).account
        == "uid.utid-login.windows.net")
  }

  @Test("An empty family counts as none", arguments: ["", " ", "\u{2028}"])
  func emptyFamily(_ family: String) throws {
    for kind in [CredentialKind.refreshToken, .familyRefreshToken, .boundRefreshToken, .primaryRefreshToken] {
      let key = try KeychainSample.key(kind, ["family_id": .string(family)])
      #expect(try key == KeychainSample.key(kind))
    }
  }

  @Test("The family takes the client's place for refresh tokens only", arguments: CredentialKind.allCases)
  func family(_ kind: CredentialKind) throws {
    let service = try KeychainSample.key(kind, ["family_id": "7"]).service
    #expect(service.contains("-7-") == (kind.section == .refreshToken))
    #expect(service.contains("-client-") == (kind.section != .refreshToken))
  }
}
