// SPDX-License-Identifier: MIT

/// Tells the answer to an app's sign-in from every other URL that the desktop opens with the app.
///
/// ```swift
/// let redirects = RedirectHandler()
///
/// let state = await redirects.issueState(for: uri)   // goes into the authorization request
/// openBrowser(…)
///
/// // when the desktop opens a URL with the app:
/// let answer = try await redirects.handleRedirect(url, for: app)
/// redeem(answer.code, redirectURI: answer.redirectURI)
/// ```
///
/// Any page that the browser shows, and any program, can open such a URL. So nobody looks at one before it
/// was found to answer a sign-in that this app started, and then once.
public actor RedirectHandler {
  /// How many sign-ins can be under way at once; the oldest is given up for one more.
  public static let maximumSignIns = 32

  private var issued: [IssuedState] = []

  /// Makes a handler; keep one for the process.
  public init() {}

  /// Begins a sign-in.
  ///
  /// - Parameter redirectURI: Where the answer is to arrive; it goes into the authorization request, too.
  /// - Returns: The request's `state`: 43 random characters.
  public func issueState(for redirectURI: RedirectURI) -> String {
    let state = IssuedState(for: redirectURI)
    issued.append(state)
    issued.removeFirst(max(0, issued.count - Self.maximumSignIns))
    return state.text
  }

  /// Gives a sign-in up: an answer that arrives later is turned away.
  public func withdraw(_ state: String) { issued.removeAll { $0.isSame(as: state) } }

  /// Reads a URL that was opened with an app.
  ///
  /// - Parameters:
  ///   - url: The URL as it arrived, at most 65,536 bytes.
  ///   - app: The app that it was opened with.
  /// - Returns: The answer to a sign-in of the app, which has ended with this.
  /// - Throws: `invalidRedirectURI` when the URL answers no sign-in of this app: pass over it, the sign-in
  ///   goes on. `promptDismissed`, `interactionRequired` and `serverError` when the provider said no, with an
  ///   ``AuthorizationError`` beneath; the sign-in has ended with this, too. No error holds anything of the
  ///   URL but the error code.
  public func handleRedirect(
    _ url: String, for app: AppIdentifier
  ) throws(SecretStoreError) -> AuthorizationAnswer {
    let (state, parameters): (IssuedState, [String: String])
    do throws(RedirectProblem) {
      (state, parameters) = try answered(by: url, for: app)
    } catch {
      throw error.error
    }
    withdraw(state.text)
    if let refusal = parameters["error"] { throw AuthorizationError(refusal).error }
    return AuthorizationAnswer(
      redirectURI: state.redirectURI, code: parameters["code"] ?? "", parameters: parameters)
  }

  private func answered(
    by url: String, for app: AppIdentifier
  ) throws(RedirectProblem) -> (IssuedState, [String: String]) {
    let opened = try OpenedURL(url)
    let own = issued.filter { $0.redirectURI.app == app }
    if own.isEmpty { throw RedirectProblem(.noSignIn) }
    let fitting = own.filter { opened.answers($0.redirectURI) }
    if fitting.isEmpty { throw RedirectProblem(.otherRedirectURI) }
    let parameters = try opened.parameters()
    guard let text = parameters["state"], !text.isEmpty else { throw RedirectProblem(.noState) }
    guard let state = fitting.filter({ $0.isSame(as: text) }).first else {
      throw RedirectProblem(.unknownState)
    }
    if parameters["error"] != nil {
      if parameters["code"] != nil { throw RedirectProblem(.codeAndError) }
    } else if parameters["code"]?.isEmpty != false {
      throw RedirectProblem(.noCode)
    }
    return (state, parameters)
  }
}
