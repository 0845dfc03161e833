// SPDX-License-Identifier: MIT

import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain queries for accounts and metadata")
struct AccountKeychainQueryTests {
  struct Row: Sendable {
    let home: String?
    let environment: String?
    let realm: String?
    let account: String?
    let isExact: Bool

    init(_ home: String?, _ environment: String?, _ realm: String?, account: String?, isExact: Bool = false) {
      self.home = home
      self.environment = environment
      self.realm = realm
      self.account = account
      self.isExact = isExact
    }
  }

  private static let host = "login.microsoftonline.com"

  @Test(
    "An account query has home account and environment, and is exact with the tenant",
    arguments: [
      Row("uid.utid", host, "contoso.com", account: KeychainSample.account, isExact: true),
      Row(
        " UID.utid", "LOGIN.microsoftonline.com\n", " Contoso.com", account: KeychainSample.account,
        isExact: true),
      Row("uid.utid", host, nil, account: KeychainSample.account),
      Row("uid.utid", nil, "contoso.com", account: nil), Row(nil, host, "contoso.com", account: nil),
      Row("uid.utid", nil, nil, account: nil), Row(nil, host, nil, account: nil),
      Row(nil, nil, "contoso.com", account: nil), Row(nil, nil, nil, account: nil),
    ], [nil, "User@contoso.com "])
  func accounts(_ row: Row, username: String?) {
    let query = KeychainItemQuery.accounts(
      homeAccountID: row.home, environment: row.environment, realm: row.realm, username: username)
    #expect(
      KeychainAttributes(query)
        == KeychainAttributes(
          row.account, row.realm == nil ? nil : "contoso.com", username == nil ? nil : "user@contoso.com",
          1003))
    #expect(query.isExactMatch == row.isExact)
  }

  @Test(
    "An account query has the requested account type, or any",
    arguments: [(.mssts, 1003), (.aad, 1001), (.msa, 1002), (.adfs, 1004), (.other, nil)]
      as [(KeychainAccountType, Int?)])
  func accountType(type: KeychainAccountType, expected: Int?) {
    #expect(KeychainItemQuery.accounts(type: type).type == expected)
  }

  @Test("An exact account query finds the account of its tenant only")
  func accountFound() {
    let keys = ["contoso.com", "fabrikam.com"].map { realm in
      var entry = AccountEntry(homeAccountID: "uid.utid", environment: Self.host, realm: realm)
      entry.fields["authority_type"] = "MSSTS"
      return KeychainItemKey(of: entry)
    }
    let query = KeychainItemQuery.accounts(
      homeAccountID: "uid.utid", environment: Self.host, realm: "CONTOSO.com")
    #expect(keys.filter { query.matches($0) } == [keys[0]])
  }

  @Test(
    "A query for app metadata has the known parts of client and environment",
    arguments: [
      ("Client ", host, "appmetadata-client", true), (nil, host, nil, false),
      ("client", nil, "appmetadata-client", false), (nil, nil, nil, false),
    ] as [(String?, String?, String?, Bool)])
  func appMetadata(client: String?, environment: String?, service: String?, isExact: Bool) {
    let query = KeychainItemQuery.appMetadata(clientID: client, environment: environment)
    #expect(KeychainAttributes(query) == KeychainAttributes(environment, service, nil, 3001))
    #expect(query.isExactMatch == isExact)
  }

  @Test("App metadata are found whatever the family", arguments: [nil, "", "1"])
  func appMetadataFound(_ family: String?) {
    var entry = AppMetadataEntry(clientID: "client", environment: Self.host, familyID: nil)
    entry.fields["family_id"] = family.map(JSONValue.string)
    let key = KeychainItemKey(of: entry)
    #expect(KeychainItemQuery.appMetadata(clientID: "client", environment: Self.host).matches(key))
    #expect(!KeychainItemQuery.appMetadata(clientID: "client2").matches(key))
    #expect(!KeychainItemQuery.accountMetadata().matches(key))
  }

  @Test("A query for account metadata finds one client's or all, with the client ID verbatim")
  func accountMetadata() {
    let keys = ["client", "Client"].map { KeychainItemKey(accountMetadataOf: $0) }
    #expect(keys.filter { KeychainItemQuery.accountMetadata().matches($0) } == keys)
    #expect(keys.filter { KeychainItemQuery.accountMetadata(clientID: "client").matches($0) } == [keys[0]])
    #expect(
      KeychainAttributes(KeychainItemQuery.accountMetadata())
        == KeychainAttributes("authority_map", nil, nil, 5001))
  }
}
