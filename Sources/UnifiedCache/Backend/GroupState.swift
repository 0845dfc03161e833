// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The state of a group, as a watch sees it.
public enum GroupState: Hashable, Sendable {
  /// The group does not exist.
  case absent
  /// The group can be read; `placement` differs between placements of the group and has no other meaning.
  case open(placement: String)
  /// The group is locked; the next call of an app may unlock it.
  case locked
  /// The group is locked and can never be unlocked, because its password is gone (`groupUnrecoverable`).
  case unrecoverable
  /// The store is missing or does not respond.
  case unavailable
}

extension GroupState {
  /// Creates the state of a group from the error of a read; `nil` if the error does not show it.
  package init?(_ error: any Error) {
    switch (error as? SecretStoreError)?.code {
    case .groupLocked, .promptDismissed: self = .locked
    case .groupUnrecoverable: self = .unrecoverable
    case .serviceUnavailable, .insecureTransport: self = .unavailable
    default: return nil
    }
  }
}
