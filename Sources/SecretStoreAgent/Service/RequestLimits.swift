// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// The limits of one connection: calls in progress, calls a second, and replies that the app has not read.
final class RequestLimits: Sendable {
  /// What becomes of a call.
  enum Decision { case accepted, refused, closed }

  /// The maximum number of calls in progress.
  static let maximumInProgress = 256
  /// The maximum number of refused calls before the connection is closed, until a flush.
  static let maximumRefused = 256
  /// The number of replies after which the agent waits until the app has read them.
  static let repliesPerFlush = 32
  /// How long the app may take to read its replies.
  static let flushTime = Duration.seconds(30)

  private struct State {
    var inProgress = 0
    var refused = 0
    var replies = 0
    var isFlushing = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var rate = RateLimit(burst: 2000, perSecond: 1000)
  }

  private let state = Locked(State())

  /// Begins a call.
  func begin() -> Decision {
    state.withLock { state in
      if state.inProgress < Self.maximumInProgress, state.rate.take() {
        state.inProgress += 1
        return .accepted
      }
      state.refused += 1
      return state.refused > Self.maximumRefused ? .closed : .refused
    }
  }

  /// Ends a call that was replied to, and returns whether the caller must flush the connection now.
  func end() -> Bool {
    state.withLock { state in
      state.inProgress -= 1
      state.replies += 1
      guard state.replies >= Self.repliesPerFlush, !state.isFlushing else { return false }
      state.isFlushing = true
      return true
    }
  }

  /// Waits while the connection is flushed.
  func untilFlushed() async {
    await withCheckedContinuation { continuation in
      let isFlushing = state.withLock { state in
        if state.isFlushing { state.waiting.append(continuation) }
        return state.isFlushing
      }
      if !isFlushing { continuation.resume() }
    }
  }

  /// Lets the calls go on that waited for the flush.
  func flushed() {
    let waiting = state.withLock { state in
      (state.isFlushing, state.replies, state.refused) = (false, 0, 0)
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// A limit on how often something happens: a number at once, and a number a second.
struct RateLimit {
  private let burst: Double
  private let perSecond: Double
  private var left: Double
  private var last = ContinuousClock.now

  init(burst: Double, perSecond: Double) {
    self.burst = burst
    self.perSecond = perSecond
    left = burst
  }

  /// Takes one, if it is allowed now.
  mutating func take(at now: ContinuousClock.Instant = .now) -> Bool {
    left = min(burst, left + (now - last) / .seconds(1) * perSecond)
    last = now
    guard left >= 1 else { return false }
    left -= 1
    return true
  }

  /// Whether nothing was taken lately.
  func isWhole(at now: ContinuousClock.Instant = .now) -> Bool {
    left + (now - last) / .seconds(1) * perSecond >= burst
  }
}

/// A rate limit for each of many names.
struct RateLimits {
  private let limit: RateLimit
  private var limits: [String: RateLimit] = [:]

  init(_ limit: RateLimit) { self.limit = limit }

  /// Takes one of a name, if it is allowed now.
  mutating func take(_ name: String) -> Bool {
    // Those who called long ago have all of it again.
    if limits.count >= 1024 { limits = limits.filter { !$0.value.isWhole() } }
    if limits.count >= 4096 { limits = [:] }
    let whole = limit
    return limits[name, default: whole].take()
  }
}
