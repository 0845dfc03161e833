// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel
import Synchronization

/// The method calls that are under way on a bus.
///
/// A bus may be used from any thread. A call is sent by the thread that makes it, and its answer is taken where GIO's own
/// thread reads it, which also sends the call that the answer leads to: going by way of the GLib thread would wake that up
/// twice for each call, and coming back to the caller in between would wake the caller.
///
/// For the same reason what a signal says of earlier answers has to be taken here: by any other way an answer could
/// overtake the signal that was sent before it.
@safe final class BusCalls: @unchecked Sendable {  // GDBusConnection is safe to use from any thread
  private let bus: OpaquePointer
  private let inbox: BusInbox
  private let filter: guint

  /// How many inboxes were handed over to GIO's thread: it does so under a lock of its own, which ThreadSanitizer does not
  /// see.
  private static let handedOver = Atomic(0)

  /// - Parameters:
  ///   - signal: Is told of each signal that arrives, in the order of the bus, on GIO's thread.
  ///   - lost: Is told when the bus is found to be lost.
  init(
    on bus: OpaquePointer, signal: @escaping @Sendable (BusSignal) -> Void,
    lost: @escaping @Sendable () -> Void
  ) {
    nonisolated(unsafe) let connection = unsafe bus
    let inbox = BusInbox(signal: signal) { message in
      unsafe try message.send(on: connection)
    } isLost: {
      guard unsafe g_dbus_connection_is_closed(connection) != 0 else { return false }
      lost()
      return true
    }
    unsafe self.bus = unsafe OpaquePointer(g_object_ref(UnsafeMutableRawPointer(bus)))
    self.inbox = inbox
    BusCalls.handedOver.add(1, ordering: .releasing)
    filter = unsafe g_dbus_connection_add_filter(
      bus,
      { _, message, isIncoming, data in
        guard isIncoming != 0, let data = unsafe data, let message = unsafe message else {
          return unsafe message
        }
        _ = BusCalls.handedOver.load(ordering: .acquiring)
        let inbox = unsafe Unmanaged<BusInbox>.fromOpaque(data).takeUnretainedValue()
        return unsafe inbox.takes(message) ? nil : message
      }, Unmanaged.passRetained(inbox).toOpaque(),
      { data in
        if let data = unsafe data { unsafe Unmanaged<BusInbox>.fromOpaque(data).release() }
      })
  }

  deinit {
    inbox.close()
    nonisolated(unsafe) let bus = unsafe bus
    let filter = filter
    GLibThread.shared.perform {
      unsafe g_dbus_connection_remove_filter(bus, filter)
      unsafe g_object_unref(UnsafeMutableRawPointer(bus))
    }
  }

  /// Makes a call and waits for its answer, at most until the deadline.
  ///
  /// - Parameters:
  ///   - rule: What cancellation does.
  ///   - next: Makes of an answer the next call, whose answer is waited for in its stead; on GIO's thread, and so without
  ///     coming back to the caller in between. `nil` when there is none to be made.
  /// - Returns: The last answer.
  func call(
    _ rule: CancellationRule, _ message: BusMessage, next: BusInbox.Next? = nil
  ) async throws -> BusAnswer {
    if case .cancellable = rule { try Task.checkCancellation() }
    let pending = Pending<BusAnswer>()
    try inbox.expect(pending, to: message, until: try Deadline.ahead(), next: next)
    switch rule {
    case .waited: return try await pending.value()
    case .cancellable:
      return try await withTaskCancellationHandler {
        try await pending.value()
      } onCancel: {
        inbox.giveUp(pending)
      }
    }
  }

  /// Sends a signal.
  func send(_ signal: BusMessage) throws { _ = unsafe try signal.send(on: bus) }

  /// Ends every call that is under way: the bus is lost.
  func close() { inbox.close() }
}
