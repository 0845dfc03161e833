// SPDX-License-Identifier: MIT

import Glibc

/// The memory that the process may have (`ulimit -v` and `ulimit -d`).
enum MemoryLimit {
  /// What a command may need; most of it is reserved for its threads and never used.
  ///
  /// Swift and GLib end a process that gets no memory, or wait for a thread forever: token requests under 700 MB did.
  /// The C library reserves 64 MiB for each thread beside its stack.
  static let megabytes = 2_048

  /// Whether the limits allow that much.
  static var isEnough: Bool {
    [RLIMIT_AS, RLIMIT_DATA].allSatisfy { resource in
      var limit = rlimit()
      return unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) != 0
        || limit.rlim_cur / 1_048_576 >= megabytes
    }
  }
}
