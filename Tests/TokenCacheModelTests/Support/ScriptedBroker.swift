// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import StrictJSON
import TokenCacheModel

/// An identity broker with accounts, which replies as a test scripts it, and records the requests.
actor ScriptedBroker: IdentityBroker {
  typealias Failure = SecretStoreError.BrokerError

  private(set) var requests: [BrokerRequest] = []
  private(set) var isInstalled: Bool
  private var people: [TestUser]
  private var tokens = 0
  private var failures: [BrokerRequest.Method: Failure] = [:]
  private var texts: [BrokerRequest.Method: String] = [:]
  private var changes: JSONObject = [:]
  private var hook: @Sendable () async throws -> Void = {}

  init(_ people: [TestUser] = [.anna], isInstalled: Bool = true) {
    self.people = people
    self.isInstalled = isInstalled
  }

  /// The methods of the requests, in their order.
  var methods: [BrokerRequest.Method] { requests.map(\.method) }

  /// The `authParameters` of the last request for a token.
  var parameters: JSONObject? {
    requests.last { $0.method == .acquireTokenSilently }
      .flatMap { try? JSONObject(parsing: $0.text.utf8) }?["authParameters"]?.objectValue
  }

  func forgetRequests() { requests = [] }

  /// Fails each request of a method from now on.
  func fail(_ method: BrokerRequest.Method, _ failure: Failure) { failures[method] = failure }

  /// Replies to each request of a method with a text from now on.
  func reply(_ method: BrokerRequest.Method, _ text: String) { texts[method] = text }

  /// Changes the members of each token from now on; `null` removes one.
  func change(_ changes: JSONObject) { self.changes = changes }

  /// Runs a hook between each request for a token and its reply.
  func beforeToken(_ hook: @escaping @Sendable () async throws -> Void) { self.hook = hook }

  func send(_ request: BrokerRequest) async throws -> String? {
    guard isInstalled else { return nil }
    requests.append(request)
    if let failure = failures[request.method] { throw failure }
    if let text = texts[request.method] { return text }
    let reply: JSONObject
    switch request.method {
    case .getAccounts: reply = ["accounts": .array(people.map { .object(Self.account(of: $0)) })]
    case .getLinuxBrokerVersion: reply = ["linuxBrokerVersion": "3.0.1"]
    case .removeAccount:
      let removed = try JSONObject(parsing: request.text.utf8)["account"]?.objectValue?["homeAccountId"]
      people.removeAll { .string($0.identifier) == removed }
      reply = [:]
    case .acquireTokenSilently:
      try await hook()
      tokens += 1
      reply = [
        "brokerTokenResponse": .object(Self.token(tokens, of: people[0]).changed(by: changes)),
        "telemetry": [:],
      ]
    }
    return String(decoding: reply.bytes, as: UTF8.self)
  }

  static func account(of person: TestUser) -> JSONObject {
    [
      "environment": "login.windows.net", "givenName": "A", "homeAccountId": .string(person.identifier),
      "localAccountId": .string(person.uid), "name": "A Person", "passwordExpiry": 0,
      "realm": .string(person.utid), "username": .string(person.username),
    ]
  }

  static func token(_ number: Int, of person: TestUser, scopes: String = "mail.read openid profile")
    -> JSONObject
  {
    [
      "accessToken": .string("broker-at-\(number)"), "accessTokenType": 0,
      "clientInfo": .string(person.clientInfo), "expiresOn": 1_700_004_000_000,
      "extendedExpiresOn": 1_700_008_000_000, "grantedScopes": .string(scopes),
      "idToken": .string(idToken(of: person)), "refreshToken": "broker-rt-never-stored",
    ]
  }

  static func idToken(of person: TestUser, aud: JSONValue = .string(SharedGroup.suite)) -> String {
    let claims: JSONObject = [
      "aud": aud, "sub": "pairwise", "oid": .string(person.uid), "tid": .string(person.utid),
      "preferred_username": .string(person.username), "name": "A Person",
    ]
    return JSONValue.object(claims).idToken
  }
}

extension SharedGroup {
  /// The cache of an app that uses a broker.
  func app(
    _ name: String, broker: ScriptedBroker, through backend: (any TokenCacheBackend)? = nil,
    isOnline: Bool = true, _ change: (inout TokenCacheOptions) -> Void = { _ in }
  ) throws -> TokenCache {
    try app(name, through: backend, isOnline: isOnline) {
      $0.broker = broker
      change(&$0)
    }
  }
}
