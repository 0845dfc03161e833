// SPDX-License-Identifier: MIT

import Foundation

/// What a process has begun and what was acknowledged to it, a line of JSON each.
///
/// A line is one `write`: a process that is killed leaves whole lines.
struct Journal {
  /// One line; what does not apply is left out.
  struct Line: Encodable {
    /// The operation's number.
    let number: Int
    /// Nanoseconds of the monotonic clock, which all processes share.
    var time = Journal.now()
    /// What begins.
    var begin: Operation?
    /// How it ended: `done`, or an error's code.
    var end: String?
    var account: String?
    var scope: String?
    /// The access token that is being saved, or that was handed out.
    var token: String?
    /// Where that was from, `cache` or `refresh`.
    var source: String?
    /// Why a refreshed token could not be stored.
    var saveError: String?
    /// Whether the account was there to be signed out of.
    var isSignedOut: Bool?
    /// The accounts of a list.
    var accounts: [String]?
    /// An error's words.
    var detail: String?
  }

  private let file: FileHandle

  /// Opens a journal that is there, to append to it.
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
