// SPDX-License-Identifier: MIT

import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain keys of accounts and metadata")
struct AccountKeychainKeyTests {
  private func account(_ changes: JSONObject) throws -> KeychainAttributes {
    let members: JSONObject = [
      "home_account_id": "uid.utid", "environment": "login.microsoftonline.com", "realm": "contoso.com",
      "authority_type": "MSSTS", "username": "user@contoso.com",
    ]
    return KeychainAttributes(
      KeychainItemKey(of: try #require(AccountEntry(.object(members.changed(by: changes))))))
  }

  private let expected = KeychainAttributes(
    KeychainSample.account, "contoso.com", "user@contoso.com", 1003)

  @Test("An account's key has its tenant and user name")
  func account() throws { #expect(try account([:]) == expected) }

  @Test(
    "An account's parts are in lower case without surrounding white space",
    arguments: [
      [
        "home_account_id": "UID.utid", "environment": "LOGIN.microsoftonline.com", "realm": "CONTOSO.com",
        "username": "User@Contoso.com",
      ],
      [
        "home_account_id": " uid.utid", "environment": "login.microsoftonline.com\u{2028}",
        "realm": "\u{A0}contoso.com ",
        "username": " user@contoso.com\r\n",
      ],
    ] as [JSONObject])
  func normalised(_ changes: JSONObject) throws { #expect(try account(changes) == expected) }

  @Test(
    "An account's type follows from its authority type, in any case",
    arguments: [
      ("MSSTS", 1003), ("mssts", 1003), ("AAD", 1001), ("MSA", 1002), ("ADFS", 1004), ("adfs", 1004),
      ("Other", 1000), ("Generic", 1000), ("", 1000), (" MSSTS", 1000), (.null, 1000), (3, 1000),
    ] as [(JSONValue, Int)])
  func accountType(authorityType: JSONValue, expected: Int) throws {
    #expect(try account(["authority_type": authorityType]).type == expected)
  }

  @Test("An account without a tenant has an empty service", arguments: [.null, "", " ", 1] as [JSONValue])
  func withoutRealm(_ realm: JSONValue) throws { #expect(try account(["realm": realm]).service == "") }

  @Test("An account without a user name has no generic attribute", arguments: [.null, 1] as [JSONValue])
  func withoutUsername(_ name: JSONValue) throws { #expect(try account(["username": name]).generic == nil) }

  @Test("An account with an empty user name has an empty generic attribute", arguments: ["", " "])
  func emptyUsername(_ name: String) throws {
    #expect(try account(["username": .string(name)]).generic == "")
  }

  private func metadata(_ members: JSONObject) throws -> KeychainAttributes {
    KeychainAttributes(KeychainItemKey(of: try #require(AppMetadataEntry(.object(members)))))
  }

  @Test(
    "The key of app metadata has the environment and the family verbatim",
    arguments: [("1", "1"), ("", ""), ("Family ", "Family "), (.null, nil), (1, nil)]
      as [(JSONValue, String?)])
  func appMetadata(family: JSONValue, generic: String?) throws {
    #expect(
      try metadata(["client_id": " Client", "environment": "Login.microsoftonline.com", "family_id": family])
        == KeychainAttributes("Login.microsoftonline.com", "appmetadata-client", generic, 3001))
  }

  @Test("A client in no family has another key than a client with an unknown family")
  func noFamily() throws {
    let members: JSONObject = ["client_id": "client", "environment": "login.microsoftonline.com"]
    #expect(try metadata(members).generic == nil)
    let entry = AppMetadataEntry(clientID: "client", environment: "login.microsoftonline.com", familyID: nil)
    #expect(KeychainItemKey(of: entry).generic == "")
  }

  @Test("The key of account metadata has the client ID verbatim", arguments: ["client", "Client "])
  func accountMetadata(_ client: String) {
    #expect(
      KeychainAttributes(KeychainItemKey(accountMetadataOf: client))
        == KeychainAttributes("authority_map", client, nil, 5001))
  }
}
