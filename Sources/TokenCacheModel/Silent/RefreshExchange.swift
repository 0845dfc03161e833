// SPDX-License-Identifier: MIT

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
    let request = TokenRequest(
      authority: authority, clientID: cache.clientID, scopes: parameters.scopes, refreshToken: token.secret,
      claims: parameters.claims, scheme: parameters.scheme)
    let exchange = Task {
      let response = try await redeem(request, token)
      return try await save(response, redeemed: token, refused: refusal?.token.secret, seen: seen)
    }
    return try await exchange.value
  }

  private func redeem(_ request: TokenRequest, _ token: RefreshTokenInUse) async throws -> TokenResponse {
    if let refusal = await throttled(request, token) { throw Self.error(refusal, isRemembered: true) }
    let reply = try await send(request)
    guard reply.status == 200 else {
      var refusal = OAuthError(status: reply.status, body: reply.body)
      refusal.retryAfter = delay(after: refusal, reply)
      await take(refusal, of: request, token)
      throw Self.error(refusal, isRemembered: false)
    }
    do {
      return try TokenResponse(parsing: reply.body)
    } catch {
      throw SecretStoreError(
        .serverError, "The token endpoint's answer is not a token response.", underlying: error)
    }
  }

  /// Sends the request, and a second time when the server fails and doesn't ask to be left alone.
  private func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
    do {
      let reply = try await endpoint.send(request)
      guard (500...599).contains(reply.status), reply.retryAfter == nil else { return reply }
      try await Task.sleep(for: cache.options.retryDelay)
      return try await endpoint.send(request)
    } catch let error as SecretStoreError {
      throw error
    } catch {
      throw SecretStoreError(.networkError, "The token endpoint could not be reached.", underlying: error)
    }
  }

  private static func error(_ refusal: OAuthError, isRemembered: Bool) -> SecretStoreError {
    let (code, detail): (SecretStoreError.Code, String) =
      refusal.asksForInteraction
      ? (.interactionRequired, "The server no longer takes the refresh token.")
      : (.serverError, "The token endpoint refused the refresh.")
    let addition = isRemembered ? " It said so a short while ago and was not asked again." : ""
    return SecretStoreError(code, detail + addition, underlying: refusal)
  }
}
