// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// One refresh token's way to the server and back.
///
/// It runs to its end and saves what came even if the task is cancelled: a refresh token that can be used once would
/// be lost otherwise.
struct RefreshExchange: Sendable {
  /// The client's own refresh token, which the server refused before.
  struct Refusal: Sendable {
    let token: RefreshTokenInUse
    let error: SecretStoreError
  }

  let acquisition: SilentAcquisition
  let endpoint: any TokenEndpoint

  var cache: TokenCache { acquisition.cache }
  var account: Account { acquisition.account }
  var parameters: SilentParameters { acquisition.parameters }

  /// The authority that the request goes to: the tenant asked for, else the account's home.
  var authority: Authority {
    if let tenant = parameters.tenant { return acquisition.asked.forTenant(tenant) }
    return acquisition.asked.resolved(for: account)
  }

  /// Redeems a refresh token and saves the answer.
  ///
  /// - Parameter seen: What was stored when the refresh token was taken.
  func run(
    _ token: RefreshTokenInUse, after refusal: Refusal? = nil, seen: CacheDocument?
  ) async throws -> TokenResult {
    CallLog.debug("redeems a refresh token", ["of": "\(token.owner.kind.rawValue)"])
    let request = TokenRequest(
      authority: authority, clientID: cache.clientID, scopes: parameters.scopes, refreshToken: token.secret,
      claims: parameters.claims, scheme: parameters.scheme, resource: parameters.resource,
      correlationID: parameters.correlationID ?? UUID())
    let exchange = Task {
      let response = try await redeem(request, token)
      return try await save(response, redeemed: token, refused: refusal?.token.secret, seen: seen)
    }
    return try await exchange.value
  }

  private func redeem(_ request: TokenRequest, _ token: RefreshTokenInUse) async throws -> TokenResponse {
    let throttling = SharedThrottling(backend: cache.backend, clock: cache.clock)
    let thumbprints = Throttling.Thumbprints(
      request, account: account.identifier.isEmpty ? ADALTokenKey.user(account.username) : account.identifier,
      revision: token.revision)
    if let refusal = await throttling.refusal(of: thumbprints) {
      CallLog.debug("does not ask the server, which refused a short while ago", ["refusal": "\(refusal)"])
      throw TokenSender.error(refusal, isRemembered: true)
    }
    let sender = TokenSender(endpoint: endpoint, retryDelay: cache.options.retryDelay)
    let reply = try await sender.send(request)
    if reply.status == 200 { return try TokenSender.response(reply) }
    let refusal = await throttling.take(reply, to: request, thumbprints)
    CallLog.debug("the refresh token was refused", ["refusal": "\(refusal)"])
    await take(refusal, token)
    throw TokenSender.error(refusal)
  }
}
