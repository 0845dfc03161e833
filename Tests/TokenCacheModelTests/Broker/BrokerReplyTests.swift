// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import StrictJSON
import Testing
import UnifiedCache

@testable import TokenCacheModel

/// What a broker's reply may be, and the error of every other.
@Suite("A broker's reply")
struct BrokerReplyTests {
  private let group = SharedGroup()
  private let broker = ScriptedBroker()

  /// Fails when a text shows a token of the broker's, or who the person is.
  private func expectNoSecret(in texts: [String]) {
    for text in texts {
      for secret in ["broker-at", "broker-rt", TestUser.anna.username, TestUser.boris.username] {
        #expect(!RedactionProbe.shows(text, secret))
      }
    }
  }

  /// Asks for a token and returns the error, after a check that nothing was stored and no secret is in the error or in
  /// the log.
  private func failure(_ cache: TokenCache? = nil) async throws -> SecretStoreError? {
    let log = CapturedLog()
    defer { expectNoSecret(in: log.lines.map(\.text)) }
    let isOwn = cache == nil
    let cache = try cache ?? group.app("mail", broker: broker) { $0.logger = log.logger }
    let person = TestUser.anna
    let account = Account(
      identifier: person.identifier, username: person.username, environment: "login.microsoftonline.com"
    ).markedAsFromBroker()
    do {
      _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
      return nil
    } catch let error as SecretStoreError {
      #expect(try await group.stored().isEmpty)
      #expect(!isOwn || !log.lines.isEmpty)
      expectNoSecret(in: RedactionProbe.texts(of: error))
      return error
    }
  }

  /// A reply to a request for a token with other members than a right one has.
  struct Changed: CustomTestStringConvertible {
    let testDescription: String
    let changes: JSONObject
    let code: SecretStoreError.Code?

    init(_ what: String, _ changes: JSONObject, _ code: SecretStoreError.Code?) {
      (testDescription, self.changes, self.code) = (what, changes, code)
    }
  }

  private static let boris = TestUser.boris

  static let changed = [
    Changed("of 3.0.1, without a refresh token", ["refreshToken": ""], nil),
    Changed("of 2.0.1, with the account", ["account": .object(ScriptedBroker.account(of: .anna))], nil),
    Changed("scopes as a list", ["grantedScopes": ["mail.read", "openid"]], nil),
    Changed("no scopes", ["grantedScopes": .null], nil),
    Changed("expiry as text", ["expiresOn": "1700004000000"], nil),
    Changed("expiry in seconds", ["expiresOn": 1_700_004_000], nil),
    Changed("extended expiry in seconds, as himmelblau", ["extendedExpiresOn": 1_700_008_000], nil),
    Changed("no ID token", ["idToken": .null], nil),
    Changed(
      "audience as a list",
      ["idToken": .string(ScriptedBroker.idToken(of: .anna, aud: [.string(SharedGroup.suite)]))],
      nil),
    Changed("no error", ["error": .null], nil),
    Changed("another account's client info", ["clientInfo": .string(boris.clientInfo)], .accountMismatch),
    Changed("another account", ["account": .object(ScriptedBroker.account(of: boris))], .accountMismatch),
    Changed(
      "an account of another cloud",
      [
        "account": .object(
          ScriptedBroker.account(of: .anna).changed(by: ["environment": "login.microsoftonline.us"]))
      ], .accountMismatch),
    Changed(
      "another person's ID token", ["idToken": .string(ScriptedBroker.idToken(of: boris))], .accountMismatch),
    Changed(
      "another app's ID token", ["idToken": .string(ScriptedBroker.idToken(of: .anna, aud: "other-app"))],
      .invalidResponse),
    Changed(
      "an ID token for no app", ["idToken": .string(ScriptedBroker.idToken(of: .anna, aud: .null))],
      .invalidResponse),
    Changed("no client info", ["clientInfo": .null], .invalidResponse),
    Changed(
      "no client info but an account",
      [
        "clientInfo": "", "account": .object(ScriptedBroker.account(of: .anna)),
      ], .invalidResponse),
    Changed("client info of another form", ["clientInfo": "{}"], .invalidResponse),
    Changed("no access token", ["accessToken": .null], .invalidResponse),
    Changed("an empty access token", ["accessToken": ""], .invalidResponse),
    Changed("an access token that is a number", ["accessToken": 1], .invalidResponse),
    Changed("an access token with a line feed", ["accessToken": "broker-at\nX-Evil: 1"], .invalidResponse),
    Changed(
      "an access token that is too large", ["accessToken": .string(String(repeating: "a", count: 1_000_000))],
      .invalidResponse),
    Changed("a token that proves possession", ["accessTokenType": 1], .invalidResponse),
    Changed("no expiry", ["expiresOn": .null], .invalidResponse),
    Changed("expiry 0", ["expiresOn": 0], .invalidResponse),
    Changed("an expired token", ["expiresOn": 1_699_999_000_000], .invalidResponse),
    Changed("a token for a hundred years", ["expiresOn": 4_855_000_000_000], .invalidResponse),
    Changed("expiry as a word", ["expiresOn": "soon"], .invalidResponse),
    Changed(
      "expiry beyond all integers", ["expiresOn": "1e400"], .invalidResponse),
    Changed("scopes as a number", ["grantedScopes": 1], .invalidResponse),
    Changed("scopes with a number", ["grantedScopes": ["mail.read", 1]], .invalidResponse),
    Changed("a scope with a line feed", ["grantedScopes": "mail.read\u{7}"], .invalidResponse),
    Changed("an ID token that is none", ["idToken": "broker-at"], .invalidResponse),
    Changed("an account that is none", ["account": []], .invalidResponse),
    Changed("other scopes", ["grantedScopes": "calendar.read"], .declinedScopes),
  ]

  @Test("Its members", arguments: changed)
  func members(of reply: Changed) async throws {
    await broker.change(reply.changes)
    if reply.code == .declinedScopes {
      // What was granted is stored.
      let log = CapturedLog()
      defer { expectNoSecret(in: log.lines.map(\.text)) }
      let cache = try group.app("mail", broker: broker) { $0.logger = log.logger }
      let account = try #require(try await cache.accounts().first)
      #expect(
        try await code { _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account) }
          == .declinedScopes)
    } else {
      #expect(try await failure()?.code == reply.code)
    }
  }

  @Test(
    "A text that is no reply is invalidResponse",
    arguments: [
      "", "not JSON", "null", "[]", "1", "{", #"{"a":1,"a":2}"#, "{}", #"{"brokerTokenResponse":[]}"#,
      #"{"brokerTokenResponse":null}"#, String(repeating: "[", count: 100_000),
      #"{"telemetry":"# + "\"\(String(repeating: "a", count: 4_000_000))\"}",
    ])
  func noReply(text: String) async throws {
    await broker.reply(.acquireTokenSilently, text)
    #expect(try await failure()?.code == .invalidResponse)
  }

  @Test(
    "A list of accounts that is none is invalidResponse",
    arguments: [
      "", "{}", #"{"accounts":{}}"#, #"{"accounts":[1]}"#, #"{"accounts":[{}]}"#, "himmelblau",
      #"{"accounts":[{"homeAccountId":"x","environment":"login.windows.net","username":"anna"}]}"#,
    ])
  func noAccounts(text: String) async throws {
    await broker.reply(.getAccounts, text)
    #expect(try await failure()?.code == .invalidResponse)
    let cache = try group.app("mail", broker: broker)
    #expect(try await code { _ = try await cache.brokerAccounts() } == .invalidResponse)
  }

  @Test(
    "An account that lacks or has a wrong member is invalidResponse",
    arguments: [
      ["environment": .null], ["username": ""], ["homeAccountId": .null], ["username": 1], ["realm": []],
      ["homeAccountId": "a\nb.c"], ["realm": "\u{1b}[2J"], ["localAccountId": "a\u{0}"], ["name": 1],
    ] as [JSONObject])
  func wrongAccount(changes: JSONObject) async throws {
    let account = ScriptedBroker.account(of: .anna).changed(by: changes)
    await broker.reply(
      .getAccounts, String(decoding: (["accounts": [.object(account)]] as JSONObject).bytes, as: UTF8.self))
    let cache = try group.app("mail", broker: broker)
    #expect(try await code { _ = try await cache.brokerAccounts() } == .invalidResponse)
    #expect(try await cache.accounts().isEmpty)
  }

  @Test("More accounts than a person has are refused")
  func tooManyAccounts() async throws {
    let account = JSONValue.object(ScriptedBroker.account(of: .anna))
    let accounts: JSONObject = ["accounts": .array(Array(repeating: account, count: 1_001))]
    await broker.reply(.getAccounts, String(decoding: accounts.bytes, as: UTF8.self))
    #expect(try await failure()?.code == .invalidResponse)
  }

  // MARK: Errors

  private static let context =
    "AADSTS50078: Presented multi-factor authentication has expired for anna@contoso.com broker-at-1"

  @Test("Each shape of error has its code")
  func shapes() async throws {
    await broker.fail(.acquireTokenSilently, .busError(named: "org.freedesktop.DBus.Error.Failed"))
    let first = try #require(try await failure())
    #expect(first.code == .serverError)
    #expect(
      (first.underlying as? SecretStoreError.BrokerError)?.busError == "org.freedesktop.DBus.Error.Failed")

    let broker = ScriptedBroker()
    await broker.reply(.getAccounts, #"{"error":{"context":"\#(Self.context)"}}"#)
    let second = try #require(try await failure(try group.app("mail", broker: broker)))
    #expect(second.code == .serverError)
    #expect((second.underlying as? SecretStoreError.BrokerError)?.authorityCode == "AADSTS50078")

    let third = ScriptedBroker()
    await third.reply(
      .acquireTokenSilently,
      #"""
      {"brokerTokenResponse":{"error":{"context":"\#(Self.context)","diagnostics":{"raw_error_code":"invalid_grant",
      "exception_type":"x","oauth2_sub_error_code":"basic_action"},"errorCode":0,"status":2,"subStatus":0,"tag":0}}}
      """#)
    let error = try #require(try await failure(try group.app("mail", broker: third)))
    #expect(error.code == .interactionRequired)
    let cause = try #require(error.underlying as? SecretStoreError.BrokerError)
    #expect(cause.status == 2 && cause.oauthCode == "invalid_grant" && cause.authorityCode == "AADSTS50078")
    #expect(cause.description == "status 2, AADSTS50078, invalid_grant")
  }

  @Test(
    "An OAuth error decides when there is no status", arguments: ["invalid_grant", "interaction_required"])
  func oauthError(code: String) async throws {
    await broker.reply(
      .acquireTokenSilently,
      #"{"brokerTokenResponse":{"error":{"context":"","diagnostics":{"raw_error_code":"\#(code)"}}}}"#)
    #expect(try await failure()?.code == .interactionRequired)
  }

  @Test(
    "Declined scopes are told from other violations of the contract",
    arguments: [
      (#"{"status":6,"subStatus":6401}"#, SecretStoreError.Code.declinedScopes),
      (
        #"{"status":6,"context":"Token response failed because declined scopes are present"}"#,
        .declinedScopes
      ),
      (#"{"status":6,"context":"API contract violation"}"#, .serverError),
    ])
  func declinedScopes(error: String, code: SecretStoreError.Code) async throws {
    await broker.reply(.acquireTokenSilently, #"{"brokerTokenResponse":{"error":\#(error)}}"#)
    #expect(try await failure()?.code == code)
  }

  @Test("A redirect URI that the app has not registered is invalidRedirectURI, and says where to add it")
  func unregisteredRedirectURI() async throws {
    await broker.reply(
      .acquireTokenSilently,
      #"{"brokerTokenResponse":{"error":{"status":9,"context":"AADSTS50011: The redirect URI … does not match"}}}"#
    )
    let error = try #require(try await failure())
    #expect(error.code == .invalidRedirectURI)
    #expect((error.underlying as? RedirectProblem)?.rule == .notRegisteredAtAuthority)
    #expect(error.detail.contains(RedirectURI.nativeClient))
  }

  @Test("No status but those of the table is known, and an unknown one is serverError")
  func statuses() async throws {
    for status in [-1, 1, 10, 12, 18, 22, 4_711] {
      #expect(SecretStoreError.BrokerError.status(status).meaning.code == .serverError)
    }
    for (status, meaning) in SecretStoreError.BrokerError.meanings {
      await broker.reply(.acquireTokenSilently, #"{"brokerTokenResponse":{"error":{"status":\#(status)}}}"#)
      #expect(try await failure()?.code == meaning.code, "\(status)")
    }
  }

  @Test("A D-Bus error's name of the sender's own is not shown")
  func inventedErrorName() {
    #expect(
      SecretStoreError.BrokerError.busError(named: "secret.token.Value").description
        == "an error without a code")
  }

  @Test("The documentation's table has every status, with its code")
  func documentedStatuses() throws {
    let page = URL(filePath: #filePath).appending(
      path: "../../../../Sources/SecretStoreCache/Documentation.docc/Broker.md"
    ).standardized
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap {
      line -> [String]? in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return cells.count == 4 && Int(cells[0]) != nil ? cells : nil
    }
    let documented = rows.map { [$0[0], $0[1], $0[2], $0[3]] }
    let known = SecretStoreError.BrokerError.meanings.sorted { $0.key < $1.key }.map { status, meaning in
      ["\(status)", meaning.words, "`\(meaning.code)`", meaning.allowsRefresh ? "yes" : "no"]
    }
    #expect(documented == known)
  }
}
