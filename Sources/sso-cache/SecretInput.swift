// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import SecretStoreCache

/// Reads a secret from standard input, or from the terminal without echo.
enum SecretInput {
  static func read(isExact: Bool) throws -> Secret {
    if isatty(STDIN_FILENO) == 1 { return try readFromTerminal() }
    var bytes = try InputFile.read("-")
    defer { for index in bytes.indices { bytes[index] = 0 } }
    if !isExact && bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return Secret(bytes)
  }

  private static func readFromTerminal() throws -> Secret {
    guard let line = unsafe getpass("Secret: ") else {
      throw ValidationError("There is no terminal to read the secret from.")
    }
    let length = unsafe strlen(line)
    defer { unsafe explicit_bzero(line, length) }
    return unsafe line.withMemoryRebound(to: UInt8.self, capacity: length) {
      unsafe Secret(UnsafeBufferPointer(start: $0, count: length))
    }
  }
}
