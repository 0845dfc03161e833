// SPDX-License-Identifier: MIT

import Foundation
public import SecretStoreCache

/// The sign-in of a user with the browser, according to RFC 8252.
///
/// It is the authorization code flow with PKCE, over a loopback redirect or a scheme of the app's own.
public struct AuthorizationCodeFlow: Sendable {
  private let endpoint: HTTPTokenEndpoint
  private let clientID: String
  private let redirect: Redirect
  private let timeLimit: Duration
  private let onStray: @Sendable (String) -> Void

  /// Creates a flow.
  ///
  /// - Parameters:
  ///   - endpoint: The provider.
  ///   - clientID: The app's client id at the provider. It is a public client without a secret.
  ///   - redirect: The redirect URI for the authorization response, registered for the client.
  ///   - timeLimit: The time that the user has to sign in.
  ///   - onStray: A function that is called with the reason when a URL that the desktop opened is ignored.
  public init(
    endpoint: HTTPTokenEndpoint, clientID: String, redirect: Redirect,
    timeLimit: Duration = .seconds(300), onStray: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.endpoint = endpoint
    self.clientID = clientID
    self.redirect = redirect
    self.timeLimit = timeLimit
    self.onStray = onStray
  }

  /// Opens the browser and waits until the user has signed in.
  ///
  /// - Returns: The response of the token endpoint with a verified ID token; pass it to `TokenCache.save`.
  /// - Throws: ``SignInError``; `networkError` when the provider can't be reached, `serverError` when it responds with an
  ///   error or its discovery document is unusable, `corruptItem` when the token response is malformed.
  public func signIn(scopes: Scopes) async throws -> TokenResponse {
    try await signIn(scopes: scopes, resource: nil)
  }

  /// Opens the browser for an app that uses ADAL, which requests a resource instead of scopes.
  public func signIn(resource: String) async throws -> TokenResponse {
    try await signIn(scopes: [], resource: resource)
  }

  private func signIn(scopes: Scopes, resource: String?) async throws -> TokenResponse {
    let provider = try await endpoint.provider()
    let redirects = RedirectHandler()
    var attempt = SignInAttempt(
      issuer: provider.issuer, clientID: clientID, redirectURI: redirect.uri, scopes: scopes,
      resource: resource)
    if case .scheme(let uri) = redirect {
      attempt.state = await redirects.issueState(for: uri, issuer: ExpectedIssuer(provider.issuer))
    }
    let page = attempt.request.appended(to: provider.authorizationEndpoint)
    let authorization = try await TimeLimit.run(timeLimit) { [attempt] in
      switch redirect {
      case .loopback(let redirect):
        let listener = RedirectListener(redirect: redirect, isExpected: attempt.isExpected)
        return try await listener.response { giveUp in try Browser.open(page, onFailure: giveUp) }
      case .scheme(let uri):
        return try await self.response(to: attempt.state, at: uri, redirects, page)
      }
    }
    guard let authorization else { throw SignInError.timedOut }
    let response = try await endpoint.redeem(attempt.redemption(of: attempt.code(in: authorization)))
    try attempt.check(response.claims)
    return response
  }

  /// Opens the browser and waits for the URL that the desktop opens with the app.
  private func response(
    to state: String, at uri: RedirectURI, _ redirects: RedirectHandler, _ page: URL
  ) async throws -> RedirectListener.Parameters {
    let (failures, failure) = AsyncStream.makeStream(of: SignInError.self)
    return try await withThrowingTaskGroup { group in
      group.addTask { [onStray] in
        let response = try await redirects.response(
          to: state, for: uri.app, onStray: { onStray($0.detail) }
        ) {
          try Browser.open(page) { failure.yield($0) }
        }
        return ["code": response.code, "iss": response["iss"]].compactMapValues(\.self)
      }
      group.addTask {
        for await failure in failures { throw failure }
        throw CancellationError()
      }
      defer { group.cancelAll() }
      guard let response = try await group.next() else { throw CancellationError() }
      return response
    }
  }
}
