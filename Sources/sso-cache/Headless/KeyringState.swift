// SPDX-License-Identifier: MIT

/// The state of the login keyring on a bus.
enum KeyringState: Int32 {
  case open = 0
  case locked = 75
  case absent = 69

  /// The state that the exit status of ``KeyringStateCommand`` tells.
  init(status: Int32) { self = KeyringState(rawValue: status) ?? .absent }
}
