// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// Who waits for which answer on a bus.
final class BusInbox: Sendable {
  /// Makes of an answer the call whose answer is waited for in its stead; `nil` ends the wait.
  typealias Next = @Sendable (BusAnswer) -> BusMessage?

  private struct Waiting {
    let pending: Pending<BusAnswer>
    let deadline: ContinuousClock.Instant
    let next: Next?
  }

  private struct State {
    var waiting: [UInt32: Waiting] = [:]
    /// When the timer goes off that looks for calls whose deadline has passed, and whether the bus is still there.
    var alarm: ContinuousClock.Instant?
    var timer: GLibTimer?
    var isClosed = false
  }

  private let state = Locked(State())
  private let signal: @Sendable (BusSignal) -> Void
  private let send: @Sendable (BusMessage) throws -> UInt32
  private let isLost: @Sendable () -> Bool

  /// How long it takes at most until a lost bus is noticed while calls are under way.
  ///
  /// GIO tells of it in the main loop of whoever opened the bus first, which may be another library's, and stand still.
  private static let watch = Duration.milliseconds(500)

  /// - Parameters:
  ///   - signal: Is told of each signal.
  ///   - send: Sends a call, and says which number its answer will name.
  ///   - isLost: Whether the bus is.
  init(
    signal: @escaping @Sendable (BusSignal) -> Void, send: @escaping @Sendable (BusMessage) throws -> UInt32,
    isLost: @escaping @Sendable () -> Bool
  ) {
    self.signal = signal
    self.send = send
    self.isLost = isLost
  }

  /// Sends a call and notes who waits for its answer, which can't arrive in between.
  ///
  /// - Parameter next: Is asked where the answer is received.
  func expect(
    _ pending: Pending<BusAnswer>, to message: BusMessage, until deadline: ContinuousClock.Instant,
    next: Next?
  ) throws {
    let isEarliest = try state.withLock { state in
      if state.isClosed { throw BusError.closed }
      state.waiting[try send(message)] = Waiting(pending: pending, deadline: deadline, next: next)
      return state.alarm.map { deadline < $0 } ?? true
    }
    // One timer for all calls: most are answered long before it goes off.
    if isEarliest { setAlarm() }
  }

  /// Ends a call whose task was cancelled; its answer is dropped.
  func giveUp(_ pending: Pending<BusAnswer>) {
    state.withLock { state in
      if let call = state.waiting.first(where: { $0.value.pending === pending }) {
        state.waiting[call.key] = nil
      }
    }
    pending.end(with: .failure(CancellationError()))
  }

  /// Ends every call, and those to come.
  func close() {
    let (waiting, timer) = state.withLock { state in
      defer { state = State(isClosed: true) }
      return (state.waiting.values, state.timer)
    }
    timer?.cancel()
    for call in waiting { call.pending.end(with: .failure(BusError.closed)) }
  }

  /// Takes over a message that arrived, if it is an answer that somebody waits for; on GIO's thread.
  func takes(_ message: OpaquePointer) -> Bool {
    switch unsafe g_dbus_message_get_message_type(message) {
    case G_DBUS_MESSAGE_TYPE_SIGNAL:
      signal(unsafe BusSignal(lending: message))
      return false
    case G_DBUS_MESSAGE_TYPE_METHOD_RETURN, G_DBUS_MESSAGE_TYPE_ERROR:
      let serial = unsafe g_dbus_message_get_reply_serial(message)
      guard let call = state.withLock({ $0.waiting.removeValue(forKey: serial) }) else { return false }
      take(unsafe BusAnswer(owning: message), call)
      return true
    default:
      return false
    }
  }

  /// Ends a wait with an answer, or goes on with the call that it leads to.
  private func take(_ answer: BusAnswer, _ call: Waiting) {
    guard let message = call.next?(answer) else { return call.pending.end(with: .success(answer)) }
    do {
      try expect(call.pending, to: message, until: call.deadline, next: call.next)
    } catch {
      call.pending.end(with: .failure(error))
    }
  }

  /// Sets the timer to the earliest deadline, or to the next look at the bus.
  private func setAlarm() {
    let former = state.withLock { state -> GLibTimer? in
      state.alarm = state.waiting.values.map(\.deadline).min().map { min($0, .now + Self.watch) }
      let former = state.timer.take()
      state.timer = state.alarm.map { alarm in
        GLibThread.shared.perform(after: max(.zero, alarm - .now)) { [weak self] in self?.expire() }
      }
      return former
    }
    former?.cancel()
  }

  /// Ends the calls whose deadline has passed.
  private func expire() {
    if isLost() { return close() }
    let expired = state.withLock { state in
      let now = ContinuousClock.now
      let expired = state.waiting.filter { $0.value.deadline <= now }
      for serial in expired.keys { state.waiting[serial] = nil }
      state.timer = nil
      return expired
    }
    for call in expired.values { call.pending.end(with: .failure(SecretStoreError.noAnswerInTime)) }
    setAlarm()
  }
}
