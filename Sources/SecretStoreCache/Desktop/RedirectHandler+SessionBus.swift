// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The hand-over of a URL from the process that the desktop opened it with to the one that waits for it.
///
/// The desktop starts a new process of the app for each URL, or calls the running one. Neither need be the process that
/// began the sign-in and knows its state. That one waits on the session bus, under the app's identifier and `.Redirects`,
/// a name that a Flatpak may own without a permission. It takes URLs by `org.freedesktop.Application.Open`, the
/// desktop's own call (Desktop Entry Specification, "D-Bus Activation").
extension RedirectHandler {
  /// Waits for the response to a sign-in of an app, which another process of the app may hand over.
  ///
  /// ```swift
  /// let redirects = RedirectHandler()
  /// let state = await redirects.issueState(for: uri)
  /// let response = try await redirects.response(for: app.app) {
  ///   try openBrowser(authorizationURL(state: state, redirectURI: uri.text))
  /// }
  /// ```
  ///
  /// One process of an app waits at a time. When the task is cancelled, the call ends and the sign-in goes on: see
  /// `withdraw(_:)`.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - limit: How long to wait; at most `timeLimit`.
  ///   - onStray: Receives the reason for each URL that is ignored, because it is no response to a sign-in of the app.
  ///   - open: Opens the browser, when everything is ready for the response.
  /// - Returns: The authorization response.
  /// - Throws: As `handleRedirect(_:for:)` when the provider returned an error. `timedOut` when there was no response;
  ///   `invalidArgument` when another sign-in of the app waits, or its identifier can't be a bus name;
  ///   `serviceUnavailable` without a session bus. An error of `open`. `CancellationError`.
  public nonisolated func response(
    for app: AppIdentifier, within limit: Duration = RedirectHandler.timeLimit,
    onStray: (SecretStoreError) -> Void = { _ in }, opening open: () async throws -> Void
  ) async throws -> AuthorizationResponse {
    let (urls, arrivals) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumURLs))
    let inbox = try await RedirectInbox(of: app) { arrivals.yield($0) }
    // The stream has no end of its own.
    let timer = Task {
      try await Task.sleep(for: min(limit, Self.timeLimit))
      arrivals.finish()
    }
    defer { timer.cancel() }
    do {
      try await open()
      let response = try await firstResponse(among: urls, for: app, onStray: onStray)
      await inbox.close()
      return response
    } catch {
      await inbox.close()
      throw error
    }
  }

  private nonisolated func firstResponse(
    among urls: AsyncStream<String>, for app: AppIdentifier, onStray: (SecretStoreError) -> Void
  ) async throws -> AuthorizationResponse {
    for await url in urls {
      do throws(SecretStoreError) {
        return try await handleRedirect(url, for: app)
      } catch {
        guard error.code == .invalidRedirectURI else { throw error }
        onStray(error)
      }
    }
    try Task.checkCancellation()
    throw SecretStoreError(.timedOut, "Nobody has signed in to \(app) in time.")
  }

  /// Hands a URL that the desktop opened this process with to the process that waits for it.
  ///
  /// ```swift
  /// // contoso-mail open URL, as in Exec=contoso-mail open %u
  /// try await RedirectHandler.forward(url, to: app.app)
  /// ```
  ///
  /// Any program of the user can wait in the app's place, as any can have the desktop open the scheme with itself. The
  /// code in the URL is of no use without the PKCE verifier (RFC 7636), which the sign-in's process alone has.
  ///
  /// - Parameters:
  ///   - url: The URL as it arrived, at most 65,536 bytes.
  ///   - app: The app that it was opened with.
  /// - Throws: `invalidRedirectURI` when no process waits, or the URL is too long; `timedOut` when the one that waits
  ///   does not reply; `serviceUnavailable` without a session bus.
  public static func forward(_ url: String, to app: AppIdentifier) async throws {
    try await RedirectInbox.send(url, to: app)
  }

  /// The maximum number of URLs that wait to be looked at; the oldest ones go first.
  private static let maximumURLs = 64
}
