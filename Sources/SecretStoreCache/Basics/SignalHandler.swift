// SPDX-License-Identifier: MIT

import Glibc

/// A handler of signals, which replaces what they do until it is removed.
///
/// A signal that the caller set to be ignored stays ignored.
package struct SignalHandler {
  private var former: [(signal: Int32, action: sigaction)] = []

  /// Installs a handler.
  ///
  /// - Parameters:
  ///   - signals: The signals.
  ///   - flags: The flags of sigaction(2).
  ///   - handler: What a signal does; it may do no more than set a variable.
  package init(
    of signals: [Int32], flags: Int32 = 0, _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    action.sa_flags = flags
    for signal in signals {
      var before = sigaction()
      guard unsafe sigaction(signal, nil, &before) == 0 else { continue }
      let handler = unsafe before.__sigaction_handler.sa_handler
      if unsafe unsafeBitCast(handler, to: Int.self) == 1 { continue }
      unsafe sigaction(signal, &action, nil)
      former.append((signal, before))
    }
  }

  /// Whether a signal is handled; none is after ``remove()``.
  package var isInstalled: Bool { !former.isEmpty }

  /// Restores what the signals do.
  package mutating func remove() {
    for (signal, action) in former {
      var action = action
      unsafe sigaction(signal, &action, nil)
    }
    former = []
  }
}
