// SPDX-License-Identifier: MIT

import Glibc

/// The signals by which a user or a time limit ends a program, and which must not lose a token's response.
///
/// A terminal, and `timeout`, send them to the tool and to the helper. They are all that end a process by default, but
/// for SIGKILL, SIGQUIT, SIGPIPE and those of an error in the program.
package enum EndingSignal {
  package static let all: [Int32] =
    [
      SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2, SIGPOLL,
      SIGPWR, SIGSTKFLT,
    ] + realTime

  /// The signals from SIGRTMIN to SIGRTMAX; the C library keeps the first two real-time signals for itself.
  private static let realTime = Array(Int32(34)...64)
}
