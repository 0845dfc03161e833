// SPDX-License-Identifier: MIT

import Glibc

/// Why `sso-cache run` did not start its command.
struct HeadlessFailure: Error {
  /// The exit status.
  let status: Int32
  /// What happened; never holds a part of the key.
  let detail: String
  /// What a person can do about it.
  let remedy: String

  init(_ status: Int32, _ detail: String, remedy: String = "") {
    self.status = status
    self.detail = detail
    self.remedy = remedy
  }

  /// What was asked for makes no sense: EX_USAGE.
  static func usage(_ detail: String, remedy: String = "See sso-cache run --help.") -> HeadlessFailure {
    HeadlessFailure(64, detail, remedy: remedy)
  }

  /// The key can't be one: EX_DATAERR.
  static func unsuitableKey(_ detail: String, remedy: String) -> HeadlessFailure {
    HeadlessFailure(65, detail, remedy: remedy)
  }

  /// A bus or a keyring can't be had: EX_UNAVAILABLE, as without a Secret Service.
  static func unavailable(_ detail: String, remedy: String) -> HeadlessFailure {
    HeadlessFailure(69, detail, remedy: remedy)
  }

  /// A file can't be made, read or trusted: EX_IOERR.
  static func storage(_ detail: String, remedy: String) -> HeadlessFailure {
    HeadlessFailure(74, detail, remedy: remedy)
  }

  /// Another run uses the keyring: EX_TEMPFAIL, worth trying again.
  static func inUse(_ path: String) -> HeadlessFailure {
    HeadlessFailure(
      75, "Another sso-cache run uses the keyring in \(path).",
      remedy: "Wait until it has ended, run both commands in one, or name another directory with --keyring.")
  }

  /// The key opens another keyring: EX_NOPERM, and not the 75 of a locked group, which says that trying again may
  /// do.
  static func wrongKey(_ path: String) -> HeadlessFailure {
    HeadlessFailure(
      77, "The key does not open the keyring in \(path); it was left as it is.",
      remedy: "Give the key that it was made with, or name another directory with --keyring.")
  }

  /// The text of an error's number.
  static func text(ofError number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
