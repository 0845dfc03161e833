// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The environment of this process, and the search for programs in an environment.
package enum ProcessEnvironment {
  package static var current: [String: String] { ProcessInfo.processInfo.environment }

  /// Returns whether a program is in a folder of `PATH`, or of the folders that execvp(3) searches without it.
  package static func hasProgram(_ name: String, in environment: [String: String]) -> Bool {
    (environment["PATH"] ?? "/bin:/usr/bin").split(separator: ":").contains { folder in
      unsafe access("\(folder)/\(name)", X_OK) == 0
    }
  }
}
