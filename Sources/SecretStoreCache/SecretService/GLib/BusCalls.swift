// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// The method calls that are under way on a bus.
///
/// A bus may be used from any thread. A call is sent by the thread that makes it, and its answer is taken where GIO's own
/// thread reads it: going by way of the GLib thread would wake that up twice for each call.
///
/// For the same reason what a signal says of earlier answers has to be taken here: by any other way an answer could
/// overtake the signal that was sent before it.
@safe final class BusCalls: @unchecked Sendable {  // GDBusConnection is safe to use from any thread
  private let bus: OpaquePointer
  private let inbox: BusInbox
  private let filter: guint

  /// - Parameter signal: Is told of each signal that arrives, in the order of the bus, on GIO's thread.
  init(on bus: OpaquePointer, signal: @escaping @Sendable (BusSignal) -> Void) {
    let inbox = BusInbox(signal: signal)
    unsafe self.bus = unsafe OpaquePointer(g_object_ref(UnsafeMutableRawPointer(bus)))
    self.inbox = inbox
    filter = unsafe g_dbus_connection_add_filter(
      bus,
      { _, message, isIncoming, data in
        guard isIncoming != 0, let data = unsafe data, let message = unsafe message else {
          return unsafe message
        }
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

  /// Calls a method and waits for its answer, at most until the deadline.
  ///
  /// - Parameter rule: What cancellation does.
  func call(_ rule: CancellationRule, _ method: BusMethod, _ arguments: [Variant]) async throws -> BusAnswer {
    let deadline = try Deadline.ahead()
    let pending = Pending<BusAnswer>()
    let serial = try inbox.expect(pending, until: deadline) { try send(method, arguments) }
    switch rule {
    case .waited: return try await pending.value()
    case .cancellable:
      return try await withTaskCancellationHandler {
        try await pending.value()
      } onCancel: {
        inbox.giveUp(serial)
      }
    }
  }

  /// Ends every call that is under way: the bus is lost.
  func close() { inbox.close() }

  /// Sends a call; returns the number that its answer will name.
  private func send(_ method: BusMethod, _ arguments: [Variant]) throws -> UInt32 {
    let message = unsafe g_dbus_message_new_method_call(
      method.service, method.path.text, method.interface, method.name)
    guard let message = unsafe message else { throw BusError.malformed }
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(message)) }
    unsafe g_dbus_message_set_body(message, Variant.tuple(arguments).pointer)
    var serial: UInt32 = 0
    _ = unsafe try withGError { error in
      unsafe g_dbus_connection_send_message(bus, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, &serial, error)
    }
    return serial
  }
}
