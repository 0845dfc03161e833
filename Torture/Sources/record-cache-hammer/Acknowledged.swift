// SPDX-License-Identifier: MIT

import Glibc

/// The number of the newest acknowledged save, in a file that both processes have open.
struct Acknowledged {
  private let file: Int32

  init(path: String) throws {
    file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw HammerError("\(path) can't be opened (error \(errno)).") }
  }

  func read() -> UInt64 {
    var number: UInt64 = 0
    _ = unsafe pread(file, &number, 8, 0)
    return number
  }

  func write(_ number: UInt64) {
    var number = number
    _ = unsafe pwrite(file, &number, 8, 0)
  }
}
