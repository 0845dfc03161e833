// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension GroupState {
  /// How a group stands whose reading ended with an error; `nil` where the error does not tell.
  package init?(_ error: any Error) {
    switch (error as? SecretStoreError)?.code {
    case .groupLocked, .promptDismissed: self = .locked
    case .groupUnrecoverable: self = .unrecoverable
    case .serviceUnavailable, .insecureTransport: self = .unavailable
    default: return nil
    }
  }
}
