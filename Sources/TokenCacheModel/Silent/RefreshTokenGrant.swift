// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import UnifiedCache

/// The redemption of one refresh token.
///
/// It runs to completion and saves the response even if the task is cancelled. Otherwise a single-use refresh token
/// would be lost.
struct RefreshTokenGrant: Sendable {
  /// A refusal of a refresh token, after which another one is tried.
  struct Refusal: Error {
    let token: RefreshTokenInUse
    let error: SecretStoreError
  }

  let acquisition: SilentAcquisition
  let endpoint: any TokenEndpoint

  var cache: TokenCache { acquisition.cache }
  var account: Account { acquisition.account }
  var parameters: SilentParameters { acquisition.parameters }

  var authority: Authority { acquisition.requestAuthority }

  /// Redeems a refresh token and saves the response.
  ///
  /// - Parameter seen: The client's document at the time when the refresh token was read.
  func run(
    _ token: RefreshTokenInUse, after refusal: Refusal? = nil, seen: CacheDocument?
  ) async throws -> TokenResult {
    CallLog.debug("redeems a refresh token", ["of": "\(token.owner.kind.rawValue)"])
    var request = TokenRequest(
      authority: authority, clientID: cache.clientID, scopes: parameters.scopes, refreshToken: token.secret,
      claims: try cache.options.claims(adding: parameters.claims), scheme: parameters.scheme,
      resource: parameters.resource, extraParameters: parameters.extraParameters,
      correlationID: parameters.correlationID ?? CorrelationID.next())
    if let api = cache.options.telemetryAPI {
      request.telemetry = cache.telemetry.headers(api: api, reason: acquisition.reason.telemetryCode)
    }
    let task = Task { [request] in
      let response = try await redeem(request, token, seen: seen)
      var result = try await save(response, redeemed: token, refused: refusal?.token.secret, seen: seen)
      result.refreshReason = acquisition.reason
      return result
    }
    return try await task.value
  }

  private func redeem(
    _ request: TokenRequest, _ token: RefreshTokenInUse, seen: CacheDocument?
  ) async throws -> TokenResponse {
    let throttling = SharedThrottling(backend: cache.backend, clock: cache.clock)
    let thumbprints = Throttling.Thumbprints(
      request, account: account.identifier.isEmpty ? Username(account.username).compared : account.identifier,
      revision: token.revision)
    if let refusal = await throttling.refusal(of: thumbprints) {
      CallLog.debug("does not ask the server, which refused a short while ago", ["refusal": "\(refusal)"])
      throw error(TokenEndpointClient.error(refusal, isRemembered: true), seen: seen)
    }
    let response = try await send(request)
    if response.isSuccess {
      if request.authority.isMicrosoftHost { cache.telemetry.clear() }
      return try TokenEndpointClient.tokenResponse(response, redeeming: token.secret)
    }
    let refusal = await throttling.recordRefusal(response, to: request, thumbprints)
    countFailure(refusal.telemetryCode, of: request)
    CallLog.debug("the refresh token was refused", ["refusal": "\(refusal)"])
    await apply(refusal, to: token)
    throw error(TokenEndpointClient.error(refusal), seen: seen)
  }

  /// Returns the error of a refusal; `interactionRequired` says why the cache's access tokens can't be used either.
  private func error(_ refusal: SecretStoreError, seen: CacheDocument?) -> SecretStoreError {
    guard refusal.code == .interactionRequired else { return refusal }
    let notice = acquisition.unusableNotice(seen)
    return SecretStoreError(refusal.code, refusal.detail + notice, underlying: refusal.underlying)
  }

  private func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    let client = TokenEndpointClient(endpoint: endpoint, retryDelay: cache.options.retryDelay)
    do {
      return try await acquisition.timed { try await client.send(request) }
    } catch let error as SecretStoreError {
      countFailure(error.code.description, of: request)
      throw error
    }
  }

  /// Counts a failed request to Microsoft in the telemetry of the next one, which no other provider gets.
  private func countFailure(_ code: String, of request: TokenRequest) {
    guard let api = cache.options.telemetryAPI, request.authority.isMicrosoftHost else { return }
    cache.telemetry.record(code, api: api, request.correlationID)
  }
}
