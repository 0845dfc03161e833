// SPDX-License-Identifier: MIT

import Glibc

/// Functions for file descriptors.
enum Descriptor {
  /// Writes all bytes.
  ///
  /// - Returns: 0, or the value of `errno` when not all bytes were written.
  static func write(_ bytes: [UInt8], to file: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { return written < 0 ? errno : EIO }
      rest = rest.dropFirst(written)
    }
    return 0
  }

  /// The number of open files that the tool may need.
  ///
  /// GLib aborts a process whose limit is lower.
  static let needed = 32

  /// Whether the limit of open files suffices.
  ///
  /// The limit is raised as needed, up to the hard limit.
  static var areEnough: Bool {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < needed
    else { return true }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(needed))
    return unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      && limit.rlim_cur >= needed
  }

  /// Opens `/dev/null` for each standard descriptor that the caller has closed, in the mode that is of no use for it.
  ///
  /// Otherwise the next file to be opened, possibly the bus connection, would get that number and receive the output.
  static func fillStandard() {
    for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
