// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// Signals that would end the process, kept until a short piece of work is done.
final class DeferredSignals {
  /// The signal that arrived; a handler may do no more than set it.
  private nonisolated(unsafe) static var arrived: sig_atomic_t = 0

  private var handler: SignalHandler

  init() {
    unsafe DeferredSignals.arrived = 0
    handler = SignalHandler(of: [SIGINT, SIGTERM, SIGHUP]) { unsafe DeferredSignals.arrived = $0 }
  }

  /// Whether a signal waits.
  var hasArrived: Bool { unsafe Self.arrived != 0 }

  /// Restores what the signals do, and delivers the one that arrived.
  func end() {
    guard handler.isInstalled else { return }
    handler.remove()
    // To the process: a thread of Swift's blocks all signals.
    if hasArrived { unsafe kill(getpid(), Self.arrived) }
  }
}
