// SPDX-License-Identifier: MIT

import Glibc
import OIDCHelperProtocol
import SecretStoreCache

/// The signals by which a user or a time limit ends the tool, noted while work must end at a whole item.
final class EndingSignals {
  /// The signal that arrived; a handler may do no more than set it.
  private nonisolated(unsafe) static var noted: sig_atomic_t = 0

  private var handler: SignalHandler

  /// Notes the signals from now on.
  ///
  /// - Parameter endsAtSecond: Whether a second signal of the same kind ends the process at once.
  init(endsAtSecond: Bool = true) {
    unsafe EndingSignals.noted = 0
    let flags = SA_RESTART | (endsAtSecond ? Int32(bitPattern: UInt32(SA_RESETHAND)) : 0)
    handler = SignalHandler(of: EndingSignal.all, flags: flags) { unsafe EndingSignals.noted = $0 }
  }

  /// The signal that arrived.
  static var arrived: Int32? {
    let signal = unsafe noted
    return signal == 0 ? nil : signal
  }

  /// Restores what the signals do.
  func end() { handler.remove() }
}
