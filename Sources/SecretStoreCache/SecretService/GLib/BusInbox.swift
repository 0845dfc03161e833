// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// Who waits for which answer on a bus.
final class BusInbox: Sendable {
  private struct Waiting {
    let pending: Pending<BusAnswer>
    let deadline: ContinuousClock.Instant
  }

  private struct State {
    var waiting: [UInt32: Waiting] = [:]
    /// When the timer goes off that looks for calls whose deadline has passed.
    var alarm: ContinuousClock.Instant?
    var timer: GLibTimer?
    var isClosed = false
  }

  private let state = Locked(State())
  private let signal: @Sendable (BusSignal) -> Void

  init(signal: @escaping @Sendable (BusSignal) -> Void) { self.signal = signal }

  /// Sends a call and notes who waits for its answer, which can't arrive in between.
  func expect(
    _ pending: Pending<BusAnswer>, until deadline: ContinuousClock.Instant, _ send: () throws -> UInt32
  ) throws -> UInt32 {
    let (serial, isEarliest) = try state.withLock { state in
      if state.isClosed { throw BusError.closed }
      let serial = try send()
      state.waiting[serial] = Waiting(pending: pending, deadline: deadline)
      return (serial, state.alarm.map { deadline < $0 } ?? true)
    }
    // One timer for all calls: most are answered long before it goes off.
    if isEarliest { setAlarm() }
    return serial
  }

  /// Ends a call whose task was cancelled; its answer is dropped.
  func giveUp(_ serial: UInt32) {
    state.withLock { $0.waiting.removeValue(forKey: serial) }?.pending
      .end(with: .failure(CancellationError()))
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
      call.pending.end(with: .success(unsafe BusAnswer(owning: message)))
      return true
    default:
      return false
    }
  }

  /// Sets the timer to the earliest deadline.
  private func setAlarm() {
    let former = state.withLock { state -> GLibTimer? in
      state.alarm = state.waiting.values.map(\.deadline).min()
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
