// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// The provider's token endpoint, which the token cache calls to refresh tokens.
public struct HTTPTokenEndpoint: TokenEndpoint {
  private let web = WebClient()
  private let discovery: Discovery

  /// Creates an endpoint.
  ///
  /// Its address is discovered with the first request.
  public init(issuer: String) { self.discovery = Discovery(issuer: issuer, web: web) }

  /// Returns the provider's discovered configuration.
  public func provider() async throws -> Provider { try await discovery.provider() }

  /// Redeems a refresh token.
  public func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    try await web.post(request.formBody, to: provider().tokenEndpoint, headers: request.headers)
  }

  /// Redeems an authorization code.
  ///
  /// - Throws: As `TokenEndpointResponse.tokenResponse()` when the endpoint refuses the code.
  func redeem(_ form: Form) async throws -> TokenResponse {
    try await web.post(form.encoded, to: provider().tokenEndpoint).tokenResponse()
  }

  /// Requests the user's claims.
  ///
  /// - Throws: `serverError` when the provider has no userinfo endpoint.
  func userInfo(accessToken: String) async throws -> TokenEndpointResponse {
    guard let url = try await provider().userInfoEndpoint else {
      throw SecretStoreError(.serverError, "The provider has no userinfo endpoint.")
    }
    return try await web.get(url, accessToken: accessToken)
  }
}
