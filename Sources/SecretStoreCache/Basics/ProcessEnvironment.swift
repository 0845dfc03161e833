// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The environment of this process, and the search for programs in an environment.
package enum ProcessEnvironment {
  package static var current: [String: String] { ProcessInfo.processInfo.environment }

  /// Returns the directory of the keyring of `sso-cache run`; `nil` outside of such a session, or after its end.
  ///
  /// The directory of its daemon's control socket is deleted at its end.
  package static func privateKeyring(in environment: [String: String]) -> String? {
    let keyring = environment["SSO_CACHE_KEYRING"].flatMap { $0.isEmpty ? nil : $0 }
    guard let control = environment["GNOME_KEYRING_CONTROL"], !control.isEmpty else { return keyring }
    return FileReader().information(control, followsLink: true) == nil ? nil : keyring
  }

  /// Returns whether a program is in a folder of `PATH`, or of the folders that execvp(3) searches without it.
  package static func hasProgram(_ name: String, in environment: [String: String]) -> Bool {
    (environment["PATH"] ?? "/bin:/usr/bin").split(separator: ":").contains { folder in
      unsafe access("\(folder)/\(name)", X_OK) == 0
    }
  }
}
