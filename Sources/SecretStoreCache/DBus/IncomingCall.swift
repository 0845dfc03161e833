// SPDX-License-Identifier: MIT

import CLibSecret

/// A method call that another program makes of an ``ExportedObject``.
///
/// Every call gets one reply; one that is released without a reply gets an error.
// Unchecked: a GDBusMethodInvocation may be used from any thread.
@safe package final class IncomingCall: @unchecked Sendable {
  package let method: String
  /// The caller's unique name, which the bus guarantees; `nil` on a private connection.
  package let sender: String?
  private let arguments: OpaquePointer
  private let invocation: Locked<Invocation?>

  @safe private struct Invocation: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// Takes ownership of an invocation, and borrows its arguments.
  init(owning invocation: OpaquePointer, method: String, sender: String?, arguments: OpaquePointer) {
    self.method = method
    self.sender = sender
    unsafe self.arguments = g_variant_ref(arguments)
    self.invocation = unsafe Locked(Invocation(pointer: invocation))
  }

  deinit {
    fail("org.freedesktop.DBus.Error.Failed", "The call ended without a reply.")
    unsafe g_variant_unref(arguments)
  }

  /// The arguments, a tuple whose type GDBus has checked.
  package func read<Output>(_ read: (Reply) throws -> Output) rethrows -> Output {
    try withExtendedLifetime(self) { unsafe try read(Reply(lending: arguments)) }
  }

  /// Replies to the call.
  ///
  /// - Parameter descriptor: A file descriptor to pass on; the caller keeps its own.
  package func reply(_ values: [Variant], descriptor: Int32? = nil) throws {
    let body = try Variant.tuple(values)
    guard let invocation = invocation.withLock({ $0.take() }) else { return }
    try withExtendedLifetime(body) {
      guard let descriptor else {
        return unsafe g_dbus_method_invocation_return_value(invocation.pointer, body.pointer)
      }
      let list = unsafe g_unix_fd_list_new()
      defer { unsafe g_object_unref(list) }
      _ = unsafe try withGError { unsafe g_unix_fd_list_append(list, descriptor, $0) }
      unsafe g_dbus_method_invocation_return_value_with_unix_fd_list(invocation.pointer, body.pointer, list)
    }
  }

  /// Replies to the call with an error.
  package func fail(_ name: String, _ message: String) {
    guard let invocation = invocation.withLock({ $0.take() }) else { return }
    unsafe g_dbus_method_invocation_return_dbus_error(invocation.pointer, name, message)
  }
}
