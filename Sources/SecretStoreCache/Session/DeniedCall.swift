// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A call that the session bus's policy, or the provider itself, does not allow this program.
package struct DeniedCall: ErrorWithRemedy, PublishableError {
  /// The interface and the method; `nil` where the bus does not state them.
  let call: String?

  init(_ error: BusError) { call = error.deniedCall }

  package var detail: String {
    "The session bus, or the Secret Service itself, does not allow \(call.map { "the call \($0)" } ?? "a call that is needed")."
  }

  package var remedy: String {
    "Find the rule that denies it, as by grep -rn deny /etc/dbus-1 /usr/share/dbus-1/session.d, take it away, and"
      + " \(NewLogin.words)."
  }

  package var description: String { "\(BusError.accessDenied) \(call ?? "")" }
}
