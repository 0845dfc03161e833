// SPDX-License-Identifier: MIT

import FoundationEssentials
import UnifiedCache

/// The group's throttling record, as silent calls in MSAL's and ADAL's formats read and write it.
///
/// Its errors are ignored: no call fails because of them.
package struct SharedThrottling: Sendable {
  let backend: any TokenCacheBackend
  let clock: any WallClock

  package init(backend: any TokenCacheBackend, clock: any WallClock) {
    self.backend = backend
    self.clock = clock
  }

  /// Returns a recent refusal of the same request, from this app or another; `nil` when the request may be sent.
  package func refusal(of thumbprints: Throttling.Thumbprints) async -> OAuthError? {
    let document = try? await backend.record(for: Throttling.record)?.document()
    return Throttling(in: document).refusal(of: thumbprints, at: clock.now())
  }

  /// Parses a refusal and records it when the server asks to wait or requires interaction.
  package func recordRefusal(
    _ response: TokenEndpointResponse, to request: TokenRequest, _ thumbprints: Throttling.Thumbprints
  ) async -> OAuthError {
    var refusal = OAuthError(response, to: request)
    refusal.retryAfter = delay(after: refusal, response)
    if let delay = refusal.retryAfter {
      await remember(refusal, thumbprints.server, for: delay)
    } else if refusal.asksForInteraction {
      await remember(refusal, thumbprints.full, for: Throttling.refusalDelay)
    }
    return refusal
  }

  /// Returns how long to wait after a refusal, in seconds; `nil` when there is no need to wait.
  ///
  /// The server's `Retry-After` decides, up to an hour. Without a usable value the delay is a minute, if the server is
  /// busy or broken (status 429 or 500 to 599) or sent an unusable `Retry-After`.
  private func delay(after refusal: OAuthError, _ response: TokenEndpointResponse) -> TimeInterval? {
    guard refusal.isOutage || response.retryAfter != nil else { return nil }
    let delay = response.retryDelay(at: clock.now()) ?? Throttling.defaultDelay
    return min(delay, Throttling.maximumDelay)
  }

  private func remember(_ refusal: OAuthError, _ thumbprint: String, for delay: TimeInterval) async {
    let now = clock.now()
    _ = try? await backend.update(Throttling.record) { stored in
      var document = stored ?? CacheDocument()
      var throttling = Throttling(in: document)
      throttling.note(refusal, for: thumbprint, until: now.addingTimeInterval(delay), now: now)
      throttling.write(to: &document)
      stored = document
    }
  }
}
