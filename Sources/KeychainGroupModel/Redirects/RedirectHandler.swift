// SPDX-License-Identifier: MIT

/// Recognizes the authorization responses of an app among the URLs that the desktop opens with it.
///
/// ```swift
/// let redirects = RedirectHandler()
///
/// let state = await redirects.issueState(for: uri)   // goes into the authorization request
/// openBrowser(authorizationURL(state: state, redirectURI: uri.text))
///
/// // when the desktop opens a URL with the app:
/// let response = try await redirects.handleRedirect(url, for: app.app)
/// try await redeem(response.code, redirectURI: response.redirectURI.text)
/// ```
///
/// Any web page and any program can open such a URL. So a URL is accepted only if it is the response to a sign-in that
/// this app started, and only once.
public actor RedirectHandler {
  /// The maximum number of sign-ins at a time: 32.
  ///
  /// One more sign-in withdraws the oldest.
  public static let maximumSignIns = 32

  /// The time limit of a sign-in: one hour.
  ///
  /// A response that arrives later is refused.
  public static let timeLimit = Duration.seconds(3_600)

  /// The maximum length of a URL that is read, in bytes: 65,536.
  package static let maximumBytes = 65_536

  private var issued: [IssuedState] = []
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Creates a handler, of which a process needs one.
  ///
  /// - Parameter now: Returns the current time.
  public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Starts a sign-in.
  ///
  /// - Parameters:
  ///   - redirectURI: The redirect URI of the authorization request, at which the response arrives.
  ///   - issuer: The issuer from which the response is expected. An app that signs in at several providers must pass
  ///     it, because their responses arrive at the same redirect URI.
  /// - Returns: The `state` of the authorization request: 43 random characters.
  public func issueState(for redirectURI: RedirectURI, issuer: ExpectedIssuer? = nil) -> String {
    let state = IssuedState(for: redirectURI, issuer: issuer, until: now() + Self.timeLimit)
    issued.append(state)
    issued.removeFirst(max(0, issued.count - Self.maximumSignIns))
    return state.text
  }

  /// Withdraws a sign-in, so that a later response is refused.
  public func withdraw(_ state: String) { issued.removeAll { $0.isSame(as: state) } }

  /// Reads a URL that the desktop opened with an app.
  ///
  /// - Parameters:
  ///   - url: The URL as it arrived, at most 65,536 bytes.
  ///   - app: The app that the URL was opened with.
  /// - Returns: The authorization response. The sign-in is then complete.
  /// - Throws: `invalidRedirectURI` when the URL is not the response to a sign-in of this app. Ignore the URL; the
  ///   sign-in continues. `promptDismissed`, `interactionRequired` or `serverError` when the provider returned an
  ///   error, with an ``AuthorizationError`` as the underlying error; the sign-in is then over. An error holds nothing
  ///   of the URL except the error code.
  public func handleRedirect(
    _ url: String, for app: AppIdentifier
  ) throws(SecretStoreError) -> AuthorizationResponse {
    try response(in: url, to: nil, for: app)
  }

  /// Reads a URL as ``handleRedirect(_:for:)`` does.
  ///
  /// - Parameter state: The sign-in whose response is accepted; `nil` for any. The response to another one stays
  ///   unread.
  package func response(
    in url: String, to expected: String?, for app: AppIdentifier
  ) throws(SecretStoreError) -> AuthorizationResponse {
    let (state, parameters): (IssuedState, [String: String])
    do throws(RedirectProblem) {
      (state, parameters) = try validatedResponse(in: url, to: expected, for: app)
    } catch {
      throw error.error
    }
    withdraw(state.text)
    if let refusal = parameters["error"] { throw AuthorizationError(refusal).error }
    return AuthorizationResponse(
      redirectURI: state.redirectURI, code: parameters["code"] ?? "", parameters: parameters)
  }

  private func validatedResponse(
    in url: String, to expected: String?, for app: AppIdentifier
  ) throws(RedirectProblem) -> (IssuedState, [String: String]) {
    issued.removeAll { $0.expiresAt <= now() }
    let opened = try OpenedURL(url)
    let own = issued.filter { state in
      state.redirectURI.app == app && expected.map(state.isSame) != false
    }
    if own.isEmpty { throw RedirectProblem(.noSignIn) }
    let fitting = own.filter { opened.matches($0.redirectURI) }
    if fitting.isEmpty { throw RedirectProblem(.otherRedirectURI) }
    let parameters = try opened.parameters()
    guard let text = parameters["state"], !text.isEmpty else { throw RedirectProblem(.noState) }
    guard let state = fitting.filter({ $0.isSame(as: text) }).first else {
      throw RedirectProblem(.unknownState)
    }
    if let rule = state.issuer?.problem(with: parameters["iss"]) { throw RedirectProblem(rule) }
    if parameters["error"] != nil {
      if parameters["code"] != nil { throw RedirectProblem(.codeAndError) }
    } else if parameters["code"]?.isEmpty != false {
      throw RedirectProblem(.noCode)
    }
    return (state, parameters)
  }
}
