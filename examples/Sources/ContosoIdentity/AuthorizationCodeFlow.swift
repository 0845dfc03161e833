// SPDX-License-Identifier: MIT

import Foundation
public import SecretStoreCache

/// Signs a person in with their browser: the authorization code flow with PKCE over a loopback redirect or a
/// scheme of the app's own, as RFC 8252 asks of native apps.
public struct AuthorizationCodeFlow: Sendable {
  private let endpoint: HTTPTokenEndpoint
  private let clientID: String
  private let redirect: Redirect
  private let timeLimit: Duration
  private let onStray: @Sendable (String) -> Void

  /// Prepares a flow.
  ///
  /// - Parameters:
  ///   - endpoint: The provider to sign in at.
  ///   - clientID: The client id that the app has there; a public client's, without a secret.
  ///   - redirect: Where the browser brings the answer; registered for the client.
  ///   - timeLimit: How long the person may take.
  ///   - onStray: Called with why a URL that the desktop opened was passed over.
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
    let redirects = RedirectHandler()
    var attempt = SignInAttempt(
      issuer: provider.issuer, clientID: clientID, redirectURI: redirect.uri, scopes: scopes,
      resource: resource)
    if case .scheme(let uri) = redirect { attempt.state = await redirects.issueState(for: uri) }
    let page = attempt.question.appended(to: provider.authorizationEndpoint)
    let answer = try await TimeLimit.run(timeLimit) { [attempt] in
      switch redirect {
      case .loopback(let redirect):
        let listener = RedirectListener(redirect: redirect, isExpected: attempt.isAnswered)
        return try await listener.answer { giveUp in try Browser.open(page, onFailure: giveUp) }
      case .scheme(let uri):
        return try await self.answer(to: uri, redirects, page)
      }
    }
    guard let answer else { throw SignInError.timedOut }
    let response = try await endpoint.redeem(attempt.redemption(of: attempt.code(in: answer)))
    try attempt.check(response.claims)
    return response
  }

  /// Opens the browser and waits for the URL that the desktop opens with the app.
  private func answer(
    to uri: RedirectURI, _ redirects: RedirectHandler, _ page: URL
  ) async throws -> RedirectListener.Answer {
    let mailbox = try Mailbox(of: uri.app)
    let (failures, failure) = AsyncStream.makeStream(of: SignInError.self)
    return try await withThrowingTaskGroup { group in
      group.addTask { [onStray] in
        let answer = try await mailbox.answer(by: redirects, for: uri.app, onStray: onStray)
        return ["code": answer.code, "iss": answer["iss"]].compactMapValues(\.self)
      }
      group.addTask {
        try Browser.open(page) { failure.yield($0) }
        for await failure in failures { throw failure }
        throw CancellationError()
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() else { throw CancellationError() }
      return answer
    }
  }
}
