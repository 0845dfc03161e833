// SPDX-License-Identifier: MIT

package import FoundationEssentials
import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// One app's requests to the identity broker.
///
/// Every method returns `nil` where no broker is installed, and ends within a time limit. It throws the
/// `SecretStoreError` of the broker's error.
package struct BrokerClient: Sendable {
  let broker: any IdentityBroker
  let clientID: String
  /// The redirect URI of the requests, which must be registered for the client.
  let redirectURI: String
  /// The time limit of a request that the broker replies to without the network.
  let limit: Duration
  /// The time limit of a request for a token.
  let tokenLimit: Duration

  /// The client ID of Microsoft Edge, for questions that are no app's: what the tool and doctor show of a broker.
  package static let browserID = "d7b530a4-7680-4c23-a8bf-c52c121d2e87"

  package init(
    broker: any IdentityBroker, clientID: String, redirectURI: String = RedirectURI.nativeClient,
    limit: Duration = .seconds(5), tokenLimit: Duration = .seconds(30)
  ) {
    self.broker = broker
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.limit = limit
    self.tokenLimit = tokenLimit
  }

  /// Returns the broker's accounts.
  package func accounts(correlationID: UUID = UUID()) async throws -> [BrokerAccount]? {
    try await send(
      .getAccounts, ["clientId": .string(clientID), "redirectUri": .string(redirectURI)], correlationID
    ) { text throws(SecretStoreError.BrokerError) in try BrokerReply(parsing: text).accounts() }
  }

  /// Returns the broker's version.
  package func version() async throws -> String? {
    try await send(.getLinuxBrokerVersion, ["msalCppVersion": "0.0.0"], UUID()) {
      text throws(SecretStoreError.BrokerError) in try BrokerReply(parsing: text).version()
    }
  }

  /// Removes an account for this client.
  func remove(_ account: BrokerAccount) async throws {
    _ = try await send(
      .removeAccount, ["clientId": .string(clientID), "account": .object(account.members)], UUID()
    ) { text throws(SecretStoreError.BrokerError) in
      if !text.isEmpty { _ = try BrokerReply(parsing: text) }
    }
  }

  /// What a token is requested for.
  struct TokenRequest {
    let authority: String
    let scopes: Scopes
    let claims: String?
    /// The access token that a forced request replaces.
    let renewedToken: String?
    let extraParameters: [(name: String, value: String)]
    let correlationID: UUID
    let now: Date
  }

  /// Requests a token of an account silently.
  func token(
    of account: BrokerAccount, _ request: TokenRequest
  ) async throws -> BrokerToken? {
    var parameters: JSONObject = [
      "account": .object(account.members),
      "additionalQueryParametersForAuthorization": .object(
        request.extraParameters.reduce(into: JSONObject()) { $0[$1.name] = .string($1.value) }),
      "authority": .string(request.authority),
      "authorizationType": 1,
      "clientId": .string(clientID),
      "redirectUri": .string(redirectURI),
      // The broker keeps the refresh token, so none is asked for.
      "requestedScopes": .array(
        request.scopes.names.filter { $0 != "offline_access" }.map(JSONValue.string)),
      "username": .string(account.account.username),
      "uxContextHandle": -1,
    ]
    parameters["decodedClaims"] = request.claims.map(JSONValue.string)
    parameters["accessTokenToRenew"] = request.renewedToken.map(JSONValue.string)
    return try await send(
      .acquireTokenSilently, ["authParameters": .object(parameters)], request.correlationID, limit: tokenLimit
    ) { text throws(SecretStoreError.BrokerError) in
      try BrokerToken(try BrokerReply(parsing: text), now: request.now)
    }
  }

  private func send<Value>(
    _ method: BrokerRequest.Method, _ members: JSONObject, _ correlationID: UUID,
    limit: Duration? = nil,
    _ read: (String) throws(SecretStoreError.BrokerError) -> Value
  ) async throws -> Value? {
    let start = ContinuousClock.now
    func log(_ outcome: String) {
      CallLog.debug(
        "asked the identity broker",
        [
          "method": method.rawValue, "outcome": outcome,
          "milliseconds": "\((ContinuousClock.now - start).milliseconds)",
        ])
    }
    do {
      let request = BrokerRequest(method, members, correlationID: correlationID, limit: limit ?? self.limit)
      guard let text = try await broker.send(request) else {
        log("no broker is installed")
        return nil
      }
      let value = try read(text)
      log("a reply")
      return value
    } catch let error as SecretStoreError.BrokerError {
      log("\(error)")
      throw error.storeError(redirectURI: redirectURI)
    }
  }
}
