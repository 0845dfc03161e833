// SPDX-License-Identifier: MIT

import Glibc

/// The reason why `sso-cache run` did not start its command.
package struct HeadlessFailure: Error {
  /// The exit status, of sysexits.h.
  package let status: Int32
  /// What happened.
  ///
  /// It never contains a part of the key.
  package let detail: String
  /// What the user can do about it.
  package let remedy: String

  init(_ status: Int32, _ detail: String, remedy: String = "") {
    self.status = status
    self.detail = detail
    self.remedy = remedy
  }

  /// Returns a failure for invalid usage.
  static func usage(_ detail: String, remedy: String = "See sso-cache run --help.") -> HeadlessFailure {
    HeadlessFailure(EX_USAGE, detail, remedy: remedy)
  }

  /// Returns a failure for a key that can't be used.
  static func unsuitableKey(_ detail: String, remedy: String) -> HeadlessFailure {
    HeadlessFailure(EX_DATAERR, detail, remedy: remedy)
  }

  /// Returns a failure for a bus or keyring that is not available, as for a missing Secret Service.
  static func unavailable(_ detail: String, remedy: String) -> HeadlessFailure {
    HeadlessFailure(EX_UNAVAILABLE, detail, remedy: remedy)
  }

  /// Returns a failure for a file that can't be created, read or trusted.
  static func storage(_ detail: String, remedy: String) -> HeadlessFailure {
    HeadlessFailure(EX_IOERR, detail, remedy: remedy)
  }

  /// Returns a failure for a keyring that another run uses.
  ///
  /// The command can be retried.
  static func inUse(_ path: String) -> HeadlessFailure {
    HeadlessFailure(
      EX_TEMPFAIL, "Another sso-cache run uses the keyring in \(path).",
      remedy: "Wait until it has ended, run both commands in one, or name another directory with --keyring.")
  }

  /// Returns a failure for a key that does not unlock this keyring.
  ///
  /// It is not `EX_TEMPFAIL`, the status of a locked group, because a retry does not help.
  static func wrongKey(_ path: String) -> HeadlessFailure {
    HeadlessFailure(
      EX_NOPERM, "The key does not open the keyring in \(path); it was left as it is.",
      remedy: "Use the key with which the keyring was created, or name another directory with --keyring.")
  }

  /// Returns the system's message for a value of `errno`.
  package static func text(ofError number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
