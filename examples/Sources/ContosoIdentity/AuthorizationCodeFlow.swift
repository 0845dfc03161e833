// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// Signs a person in with their browser: the authorization code flow with PKCE over a loopback redirect, as
/// RFC 8252 asks of native apps.
public struct AuthorizationCodeFlow: Sendable {
  private let endpoint: HTTPTokenEndpoint
  private let clientID: String
  private let redirect: LoopbackRedirect
  private let timeLimit: Duration

  /// Prepares a flow.
  ///
  /// - Parameters:
  ///   - endpoint: The provider to sign in at.
  ///   - clientID: The client id that the app has there; a public client's, without a secret.
  ///   - redirect: Where the browser brings the answer; registered for the client.
  ///   - timeLimit: How long the person may take.
  public init(
    endpoint: HTTPTokenEndpoint, clientID: String, redirect: LoopbackRedirect,
    timeLimit: Duration = .seconds(300)
  ) {
    self.endpoint = endpoint
    self.clientID = clientID
    self.redirect = redirect
    self.timeLimit = timeLimit
  }

  /// Opens the browser and waits for the person.
  ///
  /// - Returns: The token endpoint's answer, whose id token was checked; hand it to `TokenCache.save`.
  /// - Throws: ``SignInError``, and `networkError`, `serverError` or `corruptItem` when the provider can't be
  ///   reached or answers with an error or with nonsense.
  public func signIn(scopes: Scopes) async throws -> TokenResponse {
    try await signIn(scopes: scopes, resource: nil)
  }

  /// The same for an app that uses ADAL, which asks for a resource in place of scopes.
  public func signIn(resource: String) async throws -> TokenResponse {
    try await signIn(scopes: [], resource: resource)
  }

  private func signIn(scopes: Scopes, resource: String?) async throws -> TokenResponse {
    let provider = try await endpoint.provider()
    let attempt = SignInAttempt(
      issuer: provider.issuer, clientID: clientID, redirectURI: redirect.uri, scopes: scopes,
      resource: resource)
    let listener = RedirectListener(redirect: redirect, isExpected: attempt.isAnswered)
    let page = attempt.question.appended(to: provider.authorizationEndpoint)
    let answer = try await TimeLimit.run(timeLimit) {
      try await listener.answer { giveUp in try Browser.open(page, onFailure: giveUp) }
    }
    guard let answer else { throw SignInError.timedOut }
    let response = try await endpoint.redeem(attempt.redemption(of: attempt.code(in: answer)))
    try attempt.check(response.claims)
    return response
  }
}
