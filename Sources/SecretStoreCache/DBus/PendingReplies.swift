// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// The replies that calls on a bus wait for.
final class PendingReplies: Sendable {
  /// Makes a follow-up call from a reply.
  ///
  /// The wait continues for its reply; `nil` ends the wait.
  typealias Next = @Sendable (BusReply) -> BusMessage?

  private struct Waiting {
    let pending: Pending<BusReply>
    let deadline: ContinuousClock.Instant
    let next: Next?
  }

  private struct State {
    var waiting: [UInt32: Waiting] = [:]
    /// The destinations of these and all other calls on the bus.
    var sent: SentCalls
    /// The time of the next timer; it ends calls whose deadline has passed and checks for a lost bus.
    var nextTimeout: ContinuousClock.Instant?
    var timer: GLibTimer?
    var isClosed = false
  }

  /// The handlers for signals and for the loss of the bus.
  private struct Listener {
    var signal: @Sendable (BusSignal) -> Void = { _ in }
    var onLoss: @Sendable () -> Void = {}
  }

  private let state: Locked<State>
  private let listener = Locked(Listener())
  private let send: @Sendable (BusMessage) throws -> UInt32
  private let isConnectionLost: @Sendable () -> Bool

  /// The longest time until a lost bus is noticed while calls are in progress.
  ///
  /// GIO reports the loss in the main loop of the bus's first user. That may be another library whose loop is
  /// stalled.
  private static let lossCheckInterval = Duration.milliseconds(500)

  /// Creates the replies of a bus.
  ///
  /// - Parameters:
  ///   - first: The serial number of a call that was just sent.
  ///   - send: Sends a call and returns its serial number.
  ///   - isConnectionLost: Returns whether the bus is lost.
  init(
    after first: UInt32, send: @escaping @Sendable (BusMessage) throws -> UInt32,
    isConnectionLost: @escaping @Sendable () -> Bool
  ) {
    state = Locked(State(sent: SentCalls(after: first)))
    self.send = send
    self.isConnectionLost = isConnectionLost
  }

  /// Sets the handlers for signals and for the loss of the bus.
  func listen(
    signal: @escaping @Sendable (BusSignal) -> Void, onLoss: @escaping @Sendable () -> Void
  ) {
    listener.withLock { $0 = Listener(signal: signal, onLoss: onLoss) }
  }

  /// Sends a call and registers the wait for its reply.
  ///
  /// Both happen under one lock, so the reply can't arrive in between.
  ///
  /// - Parameter next: Makes a follow-up call from the reply. It runs on GIO's thread.
  func expect(
    _ pending: Pending<BusReply>, to message: BusMessage, until deadline: ContinuousClock.Instant,
    next: Next?
  ) throws {
    let isEarliest = try state.withLock { state in
      if state.isClosed { throw BusError.closed }
      let serial = try send(message)
      state.sent.note(serial, to: message.destination)
      state.waiting[serial] = Waiting(pending: pending, deadline: deadline, next: next)
      return state.nextTimeout.map { deadline < $0 } ?? true
    }
    // One timer serves all calls, since most are replied to long before it fires.
    if isEarliest { scheduleTimer() }
  }

  /// Ends the wait for a call whose task was cancelled; its reply is ignored.
  func giveUp(_ pending: Pending<BusReply>) {
    state.withLock { state in
      if let call = state.waiting.first(where: { $0.value.pending === pending }) {
        state.waiting[call.key] = nil
      }
    }
    pending.end(with: .failure(CancellationError()))
  }

  /// Ends all waits, and makes later calls fail.
  func close() {
    let (waiting, timer) = state.withLock { state in
      defer { state = State(sent: state.sent, isClosed: true) }
      return (state.waiting.values, state.timer)
    }
    timer?.cancel()
    for call in waiting { call.pending.end(with: .failure(BusError.closed)) }
  }

  /// Records a message that any user of the bus sends; runs on GIO's thread.
  func note(_ message: OpaquePointer) {
    state.withLock { unsafe $0.sent.note(message) }
  }

  /// Takes ownership of a received message if it is a reply that is awaited here, or a forged one, which is dropped.
  ///
  /// A reply is forged when it names no open call or its sender is not the call's destination. Runs on GIO's thread.
  ///
  /// - Returns: Whether it has taken the message. Otherwise GIO goes on with it.
  func handles(_ message: OpaquePointer) -> Bool {
    switch unsafe g_dbus_message_get_message_type(message) {
    case G_DBUS_MESSAGE_TYPE_SIGNAL:
      let signal = listener.withLock(\.signal)
      signal(unsafe BusSignal(lending: message))
      return false
    case G_DBUS_MESSAGE_TYPE_METHOD_RETURN, G_DBUS_MESSAGE_TYPE_ERROR:
      let (isReply, call) = state.withLock { state in
        guard unsafe state.sent.acceptsReply(message) else { return (false, Waiting?.none) }
        return (true, state.waiting.removeValue(forKey: unsafe g_dbus_message_get_reply_serial(message)))
      }
      if isReply, call == nil { return false }
      let reply = unsafe BusReply(owning: message)
      if let call { deliver(reply, to: call) }
      return true
    default:
      return false
    }
  }

  /// Ends a wait with a reply, or sends the follow-up call.
  private func deliver(_ reply: BusReply, to call: Waiting) {
    guard let message = call.next?(reply) else { return call.pending.end(with: .success(reply)) }
    do {
      try expect(call.pending, to: message, until: call.deadline, next: call.next)
    } catch {
      call.pending.end(with: .failure(error))
    }
  }

  /// Sets the timer to the earliest deadline or to the next check for a lost bus, whichever comes first.
  private func scheduleTimer() {
    let former = state.withLock { state -> GLibTimer? in
      state.nextTimeout = state.waiting.values.map(\.deadline).min().map {
        min($0, .now + Self.lossCheckInterval)
      }
      let former = state.timer.take()
      state.timer = state.nextTimeout.map { nextTimeout in
        GLibThread.shared.perform(after: max(.zero, nextTimeout - .now)) { [weak self] in self?.expire() }
      }
      return former
    }
    former?.cancel()
  }

  /// Ends the calls whose deadline has passed, or all calls when the bus is lost.
  private func expire() {
    if isConnectionLost() {
      listener.withLock(\.onLoss)()
      return close()
    }
    let expired = state.withLock { state in
      let now = ContinuousClock.now
      let expired = state.waiting.filter { $0.value.deadline <= now }
      for serial in expired.keys { state.waiting[serial] = nil }
      state.timer = nil
      return expired
    }
    for call in expired.values { call.pending.end(with: .failure(SecretStoreError.replyTimedOut)) }
    scheduleTimer()
  }
}
