// SPDX-License-Identifier: MIT

import Glibc
import HeadlessSession
import SecretStoreCache

/// Reading of a file that is named on the command line.
///
/// Pipes, terminals and standard input (`-`) are accepted, too.
enum InputFile {
  /// The maximum size of a file, in bytes: that of the largest one that a command takes.
  static let maximumBytes = CacheTransfer.maximumBytes

  /// Reads a file.
  ///
  /// - Throws: `invalidArgument` when the file can't be opened or read, `invalidFile` when it is larger than
  ///   ``maximumBytes``.
  static func read(_ path: String) throws(SecretStoreError) -> [UInt8] {
    unsafe try buffer(path).withBytes { unsafe Array($0) }
  }

  /// Reads a file into memory that is erased on release.
  ///
  /// - Parameter limit: The maximum size in bytes.
  /// - Throws: The same errors as ``read(_:)``, `invalidFile` for a file over the limit.
  static func buffer(
    _ path: String, upTo limit: Int = maximumBytes
  ) throws(SecretStoreError) -> InputBuffer {
    let file = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw SecretStoreError(
        .invalidArgument,
        "The file \(Printer.printable(path)) can't be opened: \(HeadlessFailure.text(ofError: errno)).")
    }
    defer { if file != STDIN_FILENO { close(file) } }
    let buffer = InputBuffer()
    while true {
      let count = buffer.read(from: file)
      if count == 0 { return buffer }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw SecretStoreError(
          .invalidArgument,
          "The file \(Printer.printable(path)) can't be read: \(HeadlessFailure.text(ofError: errno)).")
      }
      guard buffer.count <= limit else {
        throw SecretStoreError(
          .invalidFile, "The file \(Printer.printable(path)) is larger than \(limit) bytes.")
      }
    }
  }
}
