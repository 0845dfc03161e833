// SPDX-License-Identifier: MIT

import Foundation

/// Holds every lock file of the session, as a frozen app would hold one.
final class HeldRuntimeLocks {
  private var files: [Int32] = []

  func hold() throws {
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
    let folder = "\(runtime)/secret-store-cache"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let file = unsafe open("\(folder)/\(name)", O_RDWR | O_CLOEXEC)
      if file < 0, errno == ENOENT { continue }  // of a test beside this one
      guard file >= 0 else {
        throw PrivateSession.Failed(description: "\(name) can't be opened (error \(errno)).")
      }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { files.append(file) } else { close(file) }
    }
  }

  func release() {
    for file in files { close(file) }
    files = []
  }
}
