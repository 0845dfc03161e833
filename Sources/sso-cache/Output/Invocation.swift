// SPDX-License-Identifier: MIT

import SecretStoreCache
import Synchronization

/// The command line of this process, as far as the form of the output and of the errors depends on it.
enum Invocation {
  /// The arguments, except those of a command to run.
  static let arguments = Array(CommandLine.arguments.dropFirst().prefix { $0 != "--" })

  /// Whether the output is JSON.
  static var wantsJSON: Bool { arguments.contains("--json") }

  /// Whether what is done is logged on standard error.
  ///
  /// Flags of one letter may stand together, as `-yv`. None of them has a value.
  static var isVerbose: Bool {
    arguments.contains {
      $0 == "--verbose" || $0.first == "-" && $0.dropFirst().first != "-" && $0.contains("v")
    }
  }

  /// Whether all arguments are valid UTF-8.
  ///
  /// Swift replaces invalid bytes with U+FFFD.
  static var hasTextArguments: Bool { !CommandLine.arguments.contains { $0.contains("\u{FFFD}") } }

  /// The group that the command line names, for the commands in an error's remedy; `nil` when it names none.
  static var group: AccessGroup? {
    get { noted.withLock(\.self) }
    set { noted.withLock { $0 = newValue } }
  }

  private static let noted = Mutex<AccessGroup?>(nil)

  /// Whether the command concerns all groups of an app, of which an error names one.
  static var concernsSeveralGroups: Bool {
    get { several.withLock(\.self) }
    set { several.withLock { $0 = newValue } }
  }

  private static let several = Mutex(false)
}
