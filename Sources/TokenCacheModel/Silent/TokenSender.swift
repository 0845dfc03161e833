// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Sends requests to the token endpoint and makes errors of the library of what goes wrong.
struct TokenSender: Sendable {
  let endpoint: any TokenEndpoint
  /// How long to wait before the one retry after a server error.
  let retryDelay: Duration

  /// Sends the request, and a second time when the server fails and doesn't ask to be left alone.
  func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
    do {
      let reply = try await sendOnce(request)
      guard (500...599).contains(reply.status), reply.retryAfter == nil else { return reply }
      try await Task.sleep(for: retryDelay)
      return try await sendOnce(request)
    } catch let error as SecretStoreError {
      throw error
    } catch {
      throw SecretStoreError(.networkError, "The token endpoint could not be reached.", underlying: error)
    }
  }

  private func sendOnce(_ request: TokenRequest) async throws -> TokenEndpointReply {
    let start = ContinuousClock.now
    let reply = try await endpoint.send(request)
    CallLog.debug(
      "the token endpoint answered",
      [
        "host": request.authority.environment, "status": "\(reply.status)",
        "milliseconds": "\((ContinuousClock.now - start).milliseconds)",
      ])
    return reply
  }

  /// Reads a successful answer.
  static func response(_ reply: TokenEndpointReply) throws(SecretStoreError) -> TokenResponse {
    do {
      return try TokenResponse(parsing: reply.body)
    } catch {
      throw SecretStoreError(
        .serverError, "The token endpoint's answer is not a token response.", underlying: error)
    }
  }

  /// What a refusal is to the caller.
  ///
  /// - Parameter isRemembered: Whether the server said so earlier and was not asked now.
  static func error(_ refusal: OAuthError, isRemembered: Bool = false) -> SecretStoreError {
    let (code, detail): (SecretStoreError.Code, String) =
      refusal.asksForInteraction
      ? (.interactionRequired, "The server no longer takes the refresh token.")
      : (.serverError, "The token endpoint refused the refresh.")
    let addition = isRemembered ? " It said so a short while ago and was not asked again." : ""
    return SecretStoreError(code, detail + addition, underlying: refusal)
  }
}
