// SPDX-License-Identifier: MIT

import Glibc

/// The signals by which a user or a time limit ends a program, and which must not lose a token's response.
///
/// A terminal, and `timeout`, send them to the tool and to the helper.
package enum EndingSignal {
  package static let all = [SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGVTALRM, SIGXCPU, SIGUSR1, SIGUSR2]
}
