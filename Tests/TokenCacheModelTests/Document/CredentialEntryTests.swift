// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Credential entry")
struct CredentialEntryTests {
  @Test(
    "A time is read from a string or a number of seconds; any other value counts as absent",
    arguments: [
      ("1700000000", 1_700_000_000), (1_700_000_000, 1_700_000_000), ("0", 0),
      ("9999999999999", 9_999_999_999_999),
      ("1700000000.5", 1_700_000_000.5), ("-1", nil), ("", nil), ("soon", nil), ("nan", nil), ("inf", nil),
      ("1e300", nil), (.null, nil), (true, nil), ([1], nil), (["a": 1], nil),
    ] as [(JSONValue, Double?)])
  func time(value: JSONValue, expected: Double?) throws {
    var fields = EntryBuilder.fields(.accessToken)
    for name in ["cached_at", "expires_on", "extended_expires_on", "refresh_on"] { fields[name] = value }
    let entry = try #require(CredentialEntry(.object(fields), section: .accessToken))
    for date in [entry.cachedAt, entry.expiresOn, entry.extendedExpiresOn, entry.refreshOn] {
      #expect(date?.timeIntervalSince1970 == expected)
    }
    #expect(entry.fields == fields)
  }

  @Test("A time is written as whole seconds in a string, as Go requires")
  func writtenTime() throws {
    var entry = try #require(EntryBuilder.credential(.accessToken))
    entry.expiresOn = Date(timeIntervalSince1970: 1_700_000_000.9)
    #expect(entry.fields["expires_on"] == "1700000000")
  }

  @Test("MSAL.NET's older spelling of the extended lifetime is read")
  func extendedLifetime() throws {
    let entry = try #require(EntryBuilder.credential(.accessToken, changing: ["ext_expires_on": "5"]))
    #expect(entry.extendedExpiresOn == Date(timeIntervalSince1970: 5))
  }

  @Test("credential_type is read in any case; if absent, the section implies it")
  func kind() throws {
    #expect(
      EntryBuilder.credential(.accessToken, changing: ["credential_type": "accesstoken"])?.kind
        == .accessToken)
    #expect(
      EntryBuilder.credential(.refreshToken, changing: ["credential_type": .null])?.kind == .refreshToken)
    #expect(EntryBuilder.credential(.idToken, changing: ["credential_type": .null])?.kind == .idToken)
    for kind in CredentialKind.allCases {
      #expect(CredentialKind(name: kind.rawValue.uppercased()) == kind)
      #expect(EntryBuilder.credential(kind)?.kind == kind)
    }
    #expect(CredentialKind(name: "Password") == nil)
    #expect(CredentialKind(name: "") == nil)
  }

  @Test("An empty family counts as none")
  func family() throws {
    #expect(EntryBuilder.credential(.refreshToken, changing: ["family_id": ""])?.familyID == nil)
    #expect(EntryBuilder.credential(.refreshToken, changing: ["family_id": "1"])?.familyID == "1")
  }

  @Test(
    "These members distinguish access tokens",
    arguments: [
      ("home_account_id", "other"), ("environment", "login.microsoftonline.us"), ("client_id", "other"),
      ("realm", "other"), ("target", "s1"), ("requested_claims", "{}"), ("requestedClaims", "{}"),
      ("application_cache_identifier", "a"), ("kid", "k"), ("key_id", "k"), ("keyid", "k"), ("keyId", "k"),
    ])
  func identity(name: String, value: String) throws {
    let plain = try #require(EntryBuilder.credential(.accessToken))
    let other = try #require(EntryBuilder.credential(.accessToken, changing: [name: .string(value)]))
    #expect(plain.identity != other.identity)
    #expect(plain.key != other.key)
  }

  @Test(
    "These members do not distinguish access tokens",
    arguments: [
      ("environment", "sts.windows.net"),
      ("realm", "Tenant"), ("target", "S1 s2 s1"), ("secret", "other"), ("token_type", "Bearer"),
      ("expires_on", "1"), ("credential_type", "ACCESSTOKEN"), ("anything", "else"),
    ])
  func sameIdentity(name: String, value: String) throws {
    let plain = try #require(EntryBuilder.credential(.accessToken))
    let other = try #require(EntryBuilder.credential(.accessToken, changing: [name: .string(value)]))
    #expect(plain.identity == other.identity)
  }

  @Test("A client has one refresh token, whatever scopes and tenant a peer wrote beside it")
  func refreshTokens() throws {
    let plain = try #require(EntryBuilder.credential(.refreshToken))
    let python = try #require(
      EntryBuilder.credential(.refreshToken, changing: ["target": "s1", "realm": "tenant"]))
    #expect(plain.identity == python.identity)
  }
}
