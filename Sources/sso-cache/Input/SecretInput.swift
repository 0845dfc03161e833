// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import HeadlessSession
import SecretStoreCache
import Synchronization

/// The input of a secret from standard input, or from the terminal without echo.
enum SecretInput {
  /// Reads the secret and stores it in ``secret``.
  ///
  /// - Parameters:
  ///   - isExact: Whether a line feed at the end is a part of the secret.
  ///   - allowsEmpty: Whether the input may be empty. Empty input may also come from a failed command before the pipe.
  static func read(isExact: Bool, allowsEmpty: Bool) throws {
    let secret = isatty(STDIN_FILENO) == 1 ? try readFromTerminal() : try readFromPipe(isExact: isExact)
    guard allowsEmpty || !secret.withBytes({ $0.isEmpty }) else {
      throw ValidationError("The secret is empty; nothing was stored. Add --allow-empty to store it.")
    }
    held.withLock { $0 = secret }
  }

  /// The secret that was read; empty before.
  static var secret: Secret { held.withLock(\.self) }

  private static let held = Mutex(Secret([]))

  private static func readFromPipe(isExact: Bool) throws -> Secret {
    let buffer = try readInput()
    return unsafe buffer.withBytes { bytes in
      let isLine = unsafe !isExact && bytes.last == UInt8(ascii: "\n")
      return unsafe Secret(UnsafeBufferPointer(rebasing: bytes.dropLast(isLine ? 1 : 0)))
    }
  }

  private static func readInput() throws(SecretStoreError) -> InputBuffer {
    do {
      // A line feed at the end may not be a part of the secret.
      return try InputFile.buffer("-", upTo: Secret.maximumBytes + 1)
    } catch {
      guard error.code == .invalidFile else { throw error }
      throw SecretStoreError(.invalidArgument, "The secret is larger than \(Secret.maximumBytes) bytes.")
    }
  }

  private static func readFromTerminal() throws -> Secret {
    let signals = SignalReceiver()
    defer { signals.close() }
    return try readFromTerminal("Secret: ", signals)
  }

  private static func readFromTerminal(_ prompt: String, _ signals: SignalReceiver) throws -> Secret {
    let line = try HiddenPrompt(signals: signals, absence: "Pipe the secret in.").line(prompt)
    return unsafe line.withBytes { unsafe Secret($0) }
  }

  /// Reads a keyring's password from the terminal; that of a new keyring is asked for twice.
  static func readPassword(of keyring: LockedKeyring, _ signals: SignalReceiver) throws -> Secret {
    let what = keyring.isNew ? "a new login keyring, that of your login" : Printer.printable(keyring.name)
    let password = try readFromTerminal("Password of \(what): ", signals)
    if keyring.isNew, try readFromTerminal("Once more: ", signals) != password {
      throw ValidationError("The two passwords differ; no keyring was made.")
    }
    return password
  }
}
