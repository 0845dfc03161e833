// SPDX-License-Identifier: MIT

import CAdwaita

/// A closure, kept for as long as what it is connected to.
private final class Handler<Argument> {
  let run: @MainActor (Argument) -> Void

  init(_ run: @escaping @MainActor (Argument) -> Void) {
    self.run = run
  }
}

/// Connects a C function, to which GLib passes the handler first and the arguments of the signal after it.
private func connect<Argument>(
  _ signal: String, _ object: UnsafeMutableRawPointer, _ callback: GCallback, _ handler: Handler<Argument>
) {
  g_signal_connect_data(
    object, signal, callback, Unmanaged.passRetained(handler).toOpaque(),
    { data, _ in data.map { Unmanaged<AnyObject>.fromOpaque($0).release() } }, G_CONNECT_SWAPPED)
}

/// Runs a closure when an object emits a signal, such as `clicked` or `notify::selected`.
///
/// The signal's own arguments are not passed, and its handler returns nothing. The object keeps the closure until it is
/// destroyed: a closure that keeps the object in its turn keeps both for ever.
@MainActor
public func connect(
  signal: String, of object: UnsafeMutableRawPointer, _ handler: @escaping @MainActor () -> Void
) {
  // One C function fits all: it takes the handler and leaves the arguments of the signal.
  let run: @convention(c) (UnsafeMutableRawPointer) -> Void = { data in
    let handler = Unmanaged<Handler<Void>>.fromOpaque(data).takeUnretainedValue()
    MainActor.assumeIsolated { handler.run(()) }
  }
  connect(signal, object, unsafeBitCast(run, to: GCallback.self), Handler<Void> { handler() })
}

/// Runs a closure with the text that is a signal's first argument, such as `response` of a dialog.
///
/// Otherwise as ``connect(signal:of:_:)``.
@MainActor
public func connect(
  textSignal signal: String, of object: UnsafeMutableRawPointer,
  _ handler: @escaping @MainActor (String) -> Void
) {
  let run: @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>?) -> Void = { data, text in
    let handler = Unmanaged<Handler<String>>.fromOpaque(data).takeUnretainedValue()
    let text = text.map { String(cString: $0) } ?? ""
    MainActor.assumeIsolated { handler.run(text) }
  }
  connect(signal, object, unsafeBitCast(run, to: GCallback.self), Handler(handler))
}

/// Runs a closure when an object emits a signal: for the types that Swift sees without their fields.
@MainActor
public func connect(signal: String, of object: OpaquePointer, _ handler: @escaping @MainActor () -> Void) {
  connect(signal: signal, of: UnsafeMutableRawPointer(object), handler)
}

/// Runs a closure with the text that is a signal's first argument: for the types that Swift sees without their fields.
@MainActor
public func connect(
  textSignal signal: String, of object: OpaquePointer, _ handler: @escaping @MainActor (String) -> Void
) {
  connect(textSignal: signal, of: UnsafeMutableRawPointer(object), handler)
}
