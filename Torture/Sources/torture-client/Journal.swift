// SPDX-License-Identifier: MIT

import Foundation

/// A log of the operations that a process began and their results, as lines of JSON.
///
/// Each line is a single `write`, so a killed process leaves complete lines only.
struct Journal {
  /// One line.
  ///
  /// Members that do not apply are left out.
  struct Line: Encodable {
    /// The number of the operation.
    let number: Int
    /// The time in nanoseconds of the monotonic clock, which all processes share.
    var time = Journal.now()
    /// The operation that begins.
    var begin: Operation?
    /// The result: `done`, or an error's code.
    var end: String?
    var account: String?
    var scope: String?
    /// The access token that is saved or was returned.
    var token: String?
    /// The source of the token, `cache` or `refresh`.
    var source: String?
    /// The code of the error with which storing a refreshed token failed.
    var saveError: String?
    /// Whether the account existed and was signed out.
    var isSignedOut: Bool?
    /// The accounts of a list.
    var accounts: [String]?
    /// The message of an error.
    var detail: String?
  }

  private let file: FileHandle

  /// Opens an existing journal for appending.
  init(path: String) throws {
    file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seekToEnd()
  }

  func append(_ line: Line) throws {
    try file.write(contentsOf: try JSONEncoder().encode(line) + Data("\n".utf8))
  }

  static func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
