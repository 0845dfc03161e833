// SPDX-License-Identifier: MIT

import Glibc

/// The state of the login keyring on a bus.
package enum KeyringState: CaseIterable {
  case open
  case locked
  case absent

  /// Creates the state from the exit status of the session's probe.
  init(status: Int32) { self = Self.allCases.first { $0.exitStatus == status } ?? .absent }

  /// The exit status of the session's probe.
  package var exitStatus: Int32 {
    switch self {
    case .open: EX_OK
    case .locked: EX_TEMPFAIL
    case .absent: EX_UNAVAILABLE
    }
  }
}
