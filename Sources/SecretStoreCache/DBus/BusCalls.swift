// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel
import Synchronization

/// The method calls in progress on a bus.
///
/// A bus may be used from any thread. Each call is sent on the caller's thread. Its reply is taken on GIO's own
/// thread, which also sends any follow-up call. Using the GLib thread would wake it twice per call, and returning to
/// the caller between two calls would wake the caller.
///
/// Signals are also taken here, so that a reply can't overtake a signal that was sent before it.
@safe final class BusCalls: @unchecked Sendable {  // GDBusConnection is safe to use from any thread
  private let bus: OpaquePointer
  private let replies: PendingReplies
  private let filter: guint

  /// The number of ``PendingReplies`` passed to GIO's thread.
  ///
  /// GIO passes them under its own lock, which ThreadSanitizer does not see. This counter makes the order visible to
  /// it.
  private static let publishedReplies = Atomic(0)

  /// Creates the calls of a bus.
  ///
  /// - Throws: The error of sending a message.
  init(on bus: OpaquePointer) throws {
    nonisolated(unsafe) let connection = unsafe bus
    // No reply is expected. All later calls are recorded.
    let first = unsafe try BusMessage(calling: Self.ping) { [] }.expectsNoReply().send(on: bus)
    let replies = PendingReplies(after: first) { message in
      unsafe try message.send(on: connection)
    } isConnectionLost: {
      unsafe g_dbus_connection_is_closed(connection) != 0
    }
    unsafe self.bus = unsafe OpaquePointer(g_object_ref(UnsafeMutableRawPointer(bus)))
    self.replies = replies
    BusCalls.publishedReplies.add(1, ordering: .releasing)
    filter = unsafe g_dbus_connection_add_filter(
      bus,
      { _, message, isIncoming, data in
        guard let data = unsafe data, let message = unsafe message else { return unsafe message }
        _ = BusCalls.publishedReplies.load(ordering: .acquiring)
        let replies = unsafe Unmanaged<PendingReplies>.fromOpaque(data).takeUnretainedValue()
        if isIncoming != 0 { return unsafe replies.handles(message) ? nil : message }
        unsafe replies.note(message)
        return unsafe message
      }, Unmanaged.passRetained(replies).toOpaque(),
      { data in
        if let data = unsafe data { unsafe Unmanaged<PendingReplies>.fromOpaque(data).release() }
      })
  }

  deinit {
    replies.close()
    nonisolated(unsafe) let bus = unsafe bus
    let filter = filter
    GLibThread.shared.perform {
      unsafe g_dbus_connection_remove_filter(bus, filter)
      unsafe g_object_unref(UnsafeMutableRawPointer(bus))
    }
  }

  /// Makes a call and waits for its reply, at most until the deadline.
  ///
  /// - Parameters:
  ///   - rule: The effect of a cancellation.
  ///   - next: Makes a follow-up call from a reply, or returns `nil` to end the wait. It runs on GIO's thread and
  ///     does not wake the caller. The wait then continues for the reply to the follow-up call.
  /// - Returns: The last reply.
  func call(
    _ rule: CancellationRule, _ message: BusMessage, next: PendingReplies.Next? = nil
  ) async throws -> BusReply {
    if case .cancellable = rule { try Task.checkCancellation() }
    let pending = Pending<BusReply>()
    try replies.expect(pending, to: message, until: try Deadline.ahead(), next: next)
    switch rule {
    case .waited: return try await pending.value()
    case .cancellable:
      return try await withTaskCancellationHandler {
        try await pending.value()
      } onCancel: {
        replies.giveUp(pending)
      }
    }
  }

  /// Sets the handlers for signals and for the loss of the bus.
  ///
  /// They run on GIO's thread, with signals in the bus's order.
  func listen(
    signal: @escaping @Sendable (BusSignal) -> Void, onLoss: @escaping @Sendable () -> Void
  ) {
    replies.listen(signal: signal, onLoss: onLoss)
  }

  /// Waits until the bus has received everything sent before.
  func flush() async throws { _ = try await call(.waited, BusMessage(calling: Self.ping) { [] }) }

  private static let ping = BusMethod(
    service: SentCalls.bus, path: .bus, interface: "org.freedesktop.DBus.Peer", name: "Ping")

  /// Sends a signal.
  func send(_ signal: BusMessage) throws { _ = unsafe try signal.send(on: bus) }

  /// Whether the bus is still there.
  var isConnected: Bool { unsafe g_dbus_connection_is_closed(bus) == 0 }

  /// Serves an object as long as the result lives; must run on the GLib thread, where `handler` also runs.
  func export(
    _ path: ObjectPath, _ interface: ExportedObject.Interface,
    _ handler: @escaping @Sendable (IncomingCall) -> Void
  ) throws -> ExportedObject {
    unsafe try ExportedObject(path, interface, on: bus, handler)
  }

  /// Calls a handler when the bus is lost, as long as the result lives; must run on the GLib thread.
  func observeLoss(_ handler: @escaping @Sendable () -> Void) -> ConnectionCloseObserver {
    unsafe ConnectionCloseObserver(of: bus, handler)
  }

  /// Ends all calls in progress because the bus is lost.
  func close() { replies.close() }
}
