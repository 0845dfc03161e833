// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The hand-over of a URL from the process that the desktop opened it with to the one that waits for it.
///
/// The desktop starts a new process of the app for each URL, or calls the running one. Neither need be the process that
/// began the sign-in and knows its state. That one waits on the session bus, under the app's identifier and
/// `.Redirects`, a name that a Flatpak may own without a permission. It takes URLs by
/// `org.freedesktop.Application.Open`, the desktop's own call (Desktop Entry Specification, "D-Bus Activation").
extension RedirectHandler {
  /// Waits for the response to a sign-in, which another process of the app may hand over.
  ///
  /// ```swift
  /// let redirects = RedirectHandler()
  /// let state = await redirects.issueState(for: uri)
  /// let response = try await redirects.response(to: state, for: app.app) {
  ///   try openBrowser(authorizationURL(state: state, redirectURI: uri.text))
  /// }
  /// ```
  ///
  /// One sign-in of an app waits at a time. The sign-in is over when the call ends, however it ends: a response to it
  /// that comes later is refused.
  ///
  /// - Parameters:
  ///   - state: The state of the sign-in, from `issueState(for:issuer:)`.
  ///   - app: The app.
  ///   - limit: How long to wait; at most `timeLimit`.
  ///   - onStray: Receives the reason for each URL that is ignored, because it is no response to this sign-in.
  ///   - open: Opens the browser, when everything is ready for the response. It runs in a task of its own, need not
  ///     return before the response comes, and is cancelled when the call ends.
  /// - Returns: The authorization response.
  /// - Throws: As `handleRedirect(_:for:)` when the provider returned an error. `promptDismissed` when there was no
  ///   response in time; `interactiveSessionAlreadyRunning` when another sign-in of the app waits; `invalidArgument`
  ///   when the app's identifier can't be a bus name; `serviceUnavailable` without a session bus, or when that refuses
  ///   the name or ends. An error of `open`. `CancellationError`.
  public nonisolated func response(
    to state: String, for app: AppIdentifier, within limit: Duration = RedirectHandler.timeLimit,
    onStray: (SecretStoreError) -> Void = { _ in },
    opening open: @escaping @Sendable () async throws -> Void
  ) async throws -> AuthorizationResponse {
    do {
      let (urls, arrivals) = AsyncThrowingStream<String, any Error>.makeStream(
        bufferingPolicy: .bufferingNewest(RedirectInbox.maximumURLs))
      // A cancellation in the middle would leave the name to the bus, which takes it back a moment later.
      let inbox = try await Uncancelled.run {
        try await RedirectInbox(of: app) {
          arrivals.yield($0)
        } onLoss: {
          arrivals.finish(throwing: SecretStoreError(.serviceUnavailable, "The session bus is gone."))
        }
      }
      // The stream has no end of its own.
      let timer = Task {
        try await Task.sleep(for: min(limit, Self.timeLimit))
        arrivals.finish(
          throwing: SecretStoreError(.promptDismissed, "Nobody has signed in to \(app) in time."))
      }
      defer { timer.cancel() }
      do {
        try Task.checkCancellation()
        // A program that opens a URL may stay in the foreground.
        let opening = Task {
          do {
            try await open()
          } catch {
            arrivals.finish(throwing: error)
          }
        }
        defer { opening.cancel() }
        let response = try await firstResponse(among: urls, to: state, for: app, onStray: onStray)
        await inbox.close()
        return response
      } catch {
        await inbox.close()
        throw error
      }
    } catch {
      await withdraw(state)
      throw error
    }
  }

  private nonisolated func firstResponse(
    among urls: AsyncThrowingStream<String, any Error>, to state: String, for app: AppIdentifier,
    onStray: (SecretStoreError) -> Void
  ) async throws -> AuthorizationResponse {
    for try await url in urls {
      do throws(SecretStoreError) {
        return try await response(in: url, to: state, for: app)
      } catch {
        guard error.code == .invalidRedirectURI else { throw error }
        onStray(error)
      }
    }
    throw CancellationError()
  }

  /// Hands a URL that the desktop opened this process with to the process that waits for it.
  ///
  /// ```swift
  /// // contoso-mail open URL, as in Exec=contoso-mail open %u
  /// try await RedirectHandler.forward(url, to: app.app)
  /// ```
  ///
  /// Any program of the user can wait in the app's place, or read the URL on the bus unseen. A program can take the
  /// scheme as well. So an app's authorization requests need PKCE (RFC 7636): without the verifier, which only the
  /// process of the sign-in has, the code in the URL is of no use.
  ///
  /// - Parameters:
  ///   - url: The URL as it arrived, at most 65,536 bytes.
  ///   - app: The app that it was opened with.
  /// - Throws: `invalidRedirectURI` when no process waits, or the URL is too long; `timedOut` when the one that waits
  ///   does not reply; `serviceUnavailable` without a session bus, or when that refuses the call; `invalidArgument`
  ///   when the app's identifier can't be a bus name.
  public static func forward(_ url: String, to app: AppIdentifier) async throws {
    try await RedirectInbox.send(url, to: app)
  }
}
