// SPDX-License-Identifier: MIT

import Glibc
import OIDCHelperProtocol

/// The signals by which a user or a time limit ends the tool, noted while work must end at a whole item.
final class EndingSignals {
  /// The signal that arrived; a handler may do no more than set it.
  private nonisolated(unsafe) static var noted: sig_atomic_t = 0

  private var former: [(signal: Int32, action: sigaction)] = []

  /// Notes the signals from now on.
  ///
  /// - Parameter endsAtSecond: Whether a second signal of the same kind ends the process at once.
  init(endsAtSecond: Bool = true) {
    unsafe Self.noted = 0
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { unsafe EndingSignals.noted = $0 }
    action.sa_flags = SA_RESTART | (endsAtSecond ? Int32(bitPattern: UInt32(SA_RESETHAND)) : 0)
    for signal in EndingSignal.all {
      var before = sigaction()
      // A signal that the caller set to be ignored stays ignored.
      guard unsafe sigaction(signal, nil, &before) == 0 else { continue }
      let handler = unsafe before.__sigaction_handler.sa_handler
      if unsafe unsafeBitCast(handler, to: Int.self) == 1 { continue }
      unsafe sigaction(signal, &action, nil)
      former.append((signal, before))
    }
  }

  /// The signal that arrived.
  static var arrived: Int32? {
    let signal = unsafe noted
    return signal == 0 ? nil : signal
  }

  /// Restores what the signals do.
  func end() {
    for (signal, action) in former {
      var action = action
      unsafe sigaction(signal, &action, nil)
    }
    former = []
  }
}
