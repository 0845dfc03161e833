// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import UnifiedCache

extension TokenEndpointResponse {
  /// Returns the token response to a sign-in: to the redemption of an authorization code or a device code.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// func redeem(_ form: String, at url: URL) async throws -> TokenResponse {
  ///   let reply = try await http.post(form, to: url, headers: [], timeLimit: 30)
  ///   return try TokenEndpointResponse(status: reply.status, body: reply.body).tokenResponse()
  /// }
  /// ```
  ///
  /// - Throws: For a status other than 200 to 299 what a silent call throws for a refusal, with the ``OAuthError`` as
  ///   the underlying error: `protectionPolicyRequired`, `interactionRequired` where a new sign-in may help, or
  ///   `serverError`. `invalidResponse` where the body is no token response.
  public func tokenResponse() throws(SecretStoreError) -> TokenResponse {
    if isSuccess { return try TokenResponse(parsing: body) }
    throw TokenEndpointClient.error(OAuthError(status: status, body: body), to: .signIn)
  }
}
