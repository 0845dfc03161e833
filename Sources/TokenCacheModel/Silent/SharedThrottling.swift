// SPDX-License-Identifier: MIT

import FoundationEssentials

/// What a group remembers of refusals, as silent calls of ADAL's and of MSAL's read and write it.
///
/// None of it is worth failing for.
struct SharedThrottling: Sendable {
  let backend: any TokenCacheBackend
  let clock: any WallClock

  /// Why a request is not to be sent now, as this app or another learnt a short while ago.
  func refusal(of thumbprints: Throttling.Thumbprints) async -> OAuthError? {
    let document = try? await backend.record(for: Throttling.record)?.document()
    return Throttling(in: document).refusal(of: thumbprints, at: clock.now())
  }

  /// Reads a refusal, and remembers it where the server asks to be left alone or for the user.
  func take(
    _ reply: TokenEndpointReply, to request: TokenRequest, _ thumbprints: Throttling.Thumbprints
  ) async -> OAuthError {
    var refusal = OAuthError(reply, to: request)
    refusal.retryAfter = delay(after: refusal, reply)
    if let delay = refusal.retryAfter {
      await remember(refusal, thumbprints.server, for: delay)
    } else if refusal.asksForInteraction {
      await remember(refusal, thumbprints.full, for: Throttling.refusalDelay)
    }
    return refusal
  }

  /// How long the server is left alone after a refusal: as it says, at most an hour; a minute when it is busy or
  /// broken and doesn't say.
  private func delay(after refusal: OAuthError, _ reply: TokenEndpointReply) -> TimeInterval? {
    guard refusal.isOutage || reply.retryAfter != nil else { return nil }
    let delay = reply.retryDelay(at: clock.now()) ?? Throttling.defaultDelay
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
