// SPDX-License-Identifier: MIT

import Glibc
import UnifiedCache

/// Signals that would end the process, kept until a short piece of work is done.
final class DeferredSignals {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  /// The signal that arrived; a handler may do no more than set it.
  private nonisolated(unsafe) static var arrived: sig_atomic_t = 0

  private var former: [(signal: Int32, action: sigaction)] = []

  init() {
    unsafe Self.arrived = 0
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { unsafe DeferredSignals.arrived = $0 }
    for signal in Self.signals {
      var before = sigaction()
      // A signal that is ignored stays so.
      guard unsafe sigaction(signal, nil, &before) == 0 else { continue }
      let handler = unsafe before.__sigaction_handler.sa_handler
      if unsafe unsafeBitCast(handler, to: Int.self) == 1 { continue }
      unsafe sigaction(signal, &action, nil)
      former.append((signal, before))
    }
  }

  /// Whether a signal waits.
  var hasArrived: Bool { unsafe Self.arrived != 0 }

  /// Restores what the signals do, and delivers the one that arrived.
  func end() {
    guard !former.isEmpty else { return }
    for (signal, action) in former {
      var action = action
      unsafe sigaction(signal, &action, nil)
    }
    former = []
    // To the process: a thread of Swift's blocks all signals.
    if hasArrived { unsafe kill(getpid(), Self.arrived) }
  }
}
