// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// A client of the token endpoint that maps failures to errors of this library.
package struct TokenEndpointClient: Sendable {
  let endpoint: any TokenEndpoint
  /// The time before the single retry after a server error.
  let retryDelay: Duration

  package init(endpoint: any TokenEndpoint, retryDelay: Duration) {
    self.endpoint = endpoint
    self.retryDelay = retryDelay
  }

  /// Sends the request, and once more after a status of 500 to 599 without `Retry-After`.
  package func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    do {
      let response = try await sendOnce(request)
      guard (500...599).contains(response.status), response.retryAfter == nil else { return response }
      try await Task.sleep(for: retryDelay)
      return try await sendOnce(request)
    } catch let error as SecretStoreError {
      throw error
    } catch {
      throw SecretStoreError(
        .networkError, "The token endpoint could not be reached, or its response did not arrive whole.",
        underlying: error)
    }
  }

  private func sendOnce(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    let start = ContinuousClock.now
    let response = try await endpoint.send(request)
    CallLog.debug(
      "the token endpoint responded",
      [
        "host": request.authority.host, "status": "\(response.status)",
        "milliseconds": "\((ContinuousClock.now - start).milliseconds)",
      ])
    return response
  }

  /// Parses a successful response to a refresh.
  package static func tokenResponse(
    _ response: TokenEndpointResponse, redeeming redeemed: String
  ) throws(SecretStoreError) -> TokenResponse {
    do {
      return try TokenResponse(toRefresh: response.body, redeeming: redeemed)
    } catch {
      throw SecretStoreError(
        .serverError, "The token endpoint's response is not a token response.", underlying: error)
    }
  }

  /// The request that a server refuses.
  package enum RefusedRequest: String {
    case refresh
    case signIn = "sign-in"
  }

  /// Returns the error that a refusal causes for the caller.
  ///
  /// - Parameter isRemembered: Whether the server refused earlier and no request was sent now.
  package static func error(
    _ refusal: OAuthError, to request: RefusedRequest = .refresh, isRemembered: Bool = false
  ) -> SecretStoreError {
    let (code, detail) = meaning(of: refusal, to: request)
    let addition = isRemembered ? " It said so a short while ago and was not asked again." : ""
    return SecretStoreError(code, detail + addition, underlying: refusal)
  }

  private static func meaning(
    of refusal: OAuthError, to request: RefusedRequest
  ) -> (SecretStoreError.Code, String) {
    if refusal.requiresProtectionPolicy {
      return (
        .protectionPolicyRequired,
        "The server requires that the organization's app protection policy covers the app and the device."
      )
    }
    guard refusal.asksForInteraction else {
      return (.serverError, "The token endpoint refused the \(request.rawValue).")
    }
    return (.interactionRequired, reasonToSignIn(refusal, to: request))
  }

  private static func reasonToSignIn(_ refusal: OAuthError, to request: RefusedRequest) -> String {
    if refusal.isConditionalAccess {
      return "The organization's conditional access requires an interactive request."
    }
    if OAuthError.askingForUser.contains(refusal.code) || refusal.suberror == "consent_required" {
      return "The server requires a new sign-in."
    }
    if refusal.code == "invalid_grant" {
      let grant = request == .signIn ? "sign-in's code" : "refresh token"
      return "The server no longer takes the \(grant)."
    }
    return
      "The server refused the \(request.rawValue) with an error that is not known; a new sign-in may help."
  }
}
