// SPDX-License-Identifier: MIT

import Glibc

/// A pipe whose ends are closed in started programs unless they are passed explicitly.
struct Pipe {
  /// The write end.
  let input: Int32
  /// The read end.
  let output: Int32

  init() throws(HeadlessFailure) {
    var ends: [Int32] = [0, 0]
    guard unsafe Glibc.pipe(&ends) == 0 else {
      throw .storage(
        "A pipe can't be made: \(HeadlessFailure.text(ofError: errno)).", remedy: "Close some files.")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = ends[0]
    input = ends[1]
  }
}
