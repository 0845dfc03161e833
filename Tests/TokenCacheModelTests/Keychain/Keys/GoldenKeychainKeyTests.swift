// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing
import TokenCacheContract

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// The keys that MSAL for iOS and macOS expects of the common test data of the MSAL libraries.
@Suite("Golden keychain keys")
struct GoldenKeychainKeyTests {
  private func key(
    _ signIn: GoldenSignIn, _ kind: CredentialKind, _ names: [String], _ changes: JSONObject = [:]
  ) throws -> KeychainAttributes {
    var fields = changes.changed(by: [
      "credential_type": .string(kind.rawValue), "client_id": .string(signIn.clientID), "secret": "secret",
    ])
    for name in ["home_account_id", "environment"] + names { fields[name] = signIn.members[name] }
    let entry = try #require(CredentialEntry(.object(fields), section: kind.section))
    return KeychainAttributes(KeychainItemKey(of: entry))
  }

  /// The members of an access token of a scheme.
  private func scheme(_ signIn: GoldenSignIn) -> JSONObject {
    let type = signIn.response["token_type"]
    return type == "Bearer" ? [:] : ["token_type": type ?? .null, "kid": "key1"]
  }

  @Test("An access token with MSAL's own members has the golden key", arguments: GoldenSignIn.all)
  func accessToken(_ signIn: GoldenSignIn) throws {
    let scheme = scheme(signIn)
    let kind: CredentialKind = scheme.isEmpty ? .accessToken : .accessTokenWithAuthScheme
    #expect(try key(signIn, kind, ["realm", "target"], scheme) == signIn.accessToken)
  }

  @Test("A refresh token with MSAL's own members has the golden key", arguments: GoldenSignIn.all)
  func refreshToken(_ signIn: GoldenSignIn) throws {
    let family: JSONObject = ["family_id": signIn.response["foci"] ?? .null]
    #expect(try key(signIn, .refreshToken, [], family) == signIn.refreshToken)
  }

  @Test("An ID token with MSAL's own members has the golden key", arguments: GoldenSignIn.all)
  func idToken(_ signIn: GoldenSignIn) throws {
    #expect(try key(signIn, .idToken, ["realm"]) == signIn.idToken)
  }

  @Test("An account with MSAL's own members has the golden key", arguments: GoldenSignIn.all)
  func account(_ signIn: GoldenSignIn) throws {
    let fields = signIn.members.changed(by: ["authority_type": "MSSTS", "target": .null])
    let entry = try #require(AccountEntry(.object(fields)))
    #expect(KeychainAttributes(KeychainItemKey(of: entry)) == signIn.accountEntry)
  }

  @Test("A family's refresh token has two items: the client's, and the family's under the writer's client")
  func bothCopies() throws {
    let signIn = GoldenSignIn.family
    let client = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
    #expect(
      try key(signIn, .refreshToken, [])
        == KeychainAttributes(
          signIn.account, "refreshtoken-\(client)--", "refreshtoken-\(client)-", 2002))
    let copy = try key(signIn, .refreshToken, [], ["family_id": "1"])
    #expect(copy == KeychainAttributes(signIn.account, "refreshtoken-1--", "refreshtoken-1-", 2002))
    let single = try key(signIn, .familyRefreshToken, [], ["family_id": "1"])
    #expect(
      single == KeychainAttributes(signIn.account, "familyrefreshtoken-1--", "familyrefreshtoken-1-", 2008))
  }

  /// The model's entries of the server's response.
  ///
  /// Members in another form are set as MSAL for iOS and macOS stores them: a cloud has one canonical
  /// host, scopes are sorted, and a B2C account whose id token has neither tenant nor user name is not given the home
  /// tenant and a placeholder.
  private struct Entries {
    let entries: TokenEntries
    let signIn: GoldenSignIn

    init(_ signIn: GoldenSignIn) throws {
      self.signIn = signIn
      self.entries = try TokenEntries(
        TokenResponse(members: signIn.response), clientID: signIn.clientID,
        authority: Authority(signIn.authority), requested: [], known: nil, now: TestClock.start)
    }

    private var needsTenant: Bool { entries.account.realm == "iosmsalb2c.onmicrosoft.com" }

    func key(_ credential: CredentialEntry?, _ names: [String] = []) throws -> KeychainAttributes {
      var credential = try #require(credential)
      for name in ["environment"] + names where name != "realm" || needsTenant {
        credential.fields[name] = signIn.members[name]
      }
      return KeychainAttributes(KeychainItemKey(of: credential))
    }

    var account: KeychainAttributes {
      var account = entries.account
      for name in ["environment"] + (needsTenant ? ["realm", "username"] : []) {
        account.fields[name] = signIn.members[name]
      }
      return KeychainAttributes(KeychainItemKey(of: account))
    }

    var metadata: KeychainAttributes {
      var metadata = entries.metadata
      metadata.fields["environment"] = signIn.members["environment"]
      return KeychainAttributes(KeychainItemKey(of: metadata))
    }
  }

  @Test("A server response leads to the golden keys", arguments: GoldenSignIn.all)
  func responses(_ signIn: GoldenSignIn) throws {
    let made = try Entries(signIn)
    #expect(try made.key(made.entries.accessToken, ["realm", "target"]) == signIn.accessToken)
    #expect(try made.key(made.entries.refreshToken) == signIn.refreshToken)
    #expect(try made.key(made.entries.idToken, ["realm"]) == signIn.idToken)
    #expect(made.account == signIn.accountEntry)
    #expect(made.metadata == signIn.appMetadata)
  }
}
