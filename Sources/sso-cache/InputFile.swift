// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// Reads a file that was named on the command line; a pipe, a terminal and standard input (`-`) do as well.
enum InputFile {
  /// The largest file that is read, in bytes.
  static let maximumBytes = 64_000_000

  /// The file's bytes.
  ///
  /// - Throws: `corruptItem` when it can't be read or is larger than ``maximumBytes``.
  static func read(_ path: String) throws(SecretStoreError) -> [UInt8] {
    let file = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SecretStoreError(.corruptItem, "The file \(path) can't be opened.") }
    defer { if file != STDIN_FILENO { close(file) } }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw SecretStoreError(.corruptItem, "The file \(path) can't be read.") }
      bytes += chunk[..<count]
      guard bytes.count <= maximumBytes else {
        throw SecretStoreError(.corruptItem, "The file \(path) is larger than \(maximumBytes) bytes.")
      }
    }
  }
}
