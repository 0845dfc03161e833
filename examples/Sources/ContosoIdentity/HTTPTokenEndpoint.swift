// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// The provider's token endpoint: the one thing that the token cache wants of whoever plugs it in.
public struct HTTPTokenEndpoint: TokenEndpoint {
  private let web = WebClient()
  private let discovery: Discovery

  /// Makes an endpoint; the provider is asked for its address with the first request.
  public init(issuer: String) { self.discovery = Discovery(issuer: issuer, web: web) }

  /// What the provider says of itself.
  public func provider() async throws -> Provider { try await discovery.provider() }

  /// Redeems a refresh token.
  public func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
    try await web.post(request.formBody, to: provider().tokenEndpoint)
  }

  /// Redeems an authorization code.
  ///
  /// - Throws: `serverError` when the endpoint refuses it, with its `OAuthError` beneath.
  func redeem(_ form: Form) async throws -> TokenResponse {
    let reply = try await web.post(form.encoded, to: provider().tokenEndpoint)
    guard reply.status == 200 else {
      throw SecretStoreError(
        .serverError, "The token endpoint refused the authorization code.",
        underlying: OAuthError(status: reply.status, body: reply.body))
    }
    return try TokenResponse(parsing: reply.body)
  }
}
