// SPDX-License-Identifier: MIT

import CProcess
import Glibc

/// The source of a keyring's key: a systemd credential, a pipe, or the user at the terminal.
///
/// A key never comes from a file on a disk, the environment or an argument. Others can read those, or they outlive the
/// run.
package enum KeySource {
  /// The name of a systemd credential of the service that runs this process.
  case credential(String)
  /// An open file descriptor that the caller passes.
  case descriptor(Int32)
  /// The user at the terminal.
  case terminal

  /// Reads the key.
  ///
  /// - Parameter isNew: Whether the keyring does not exist yet. The terminal then asks for the key twice.
  package func key(isNew: Bool, environment: [String: String], signals: SignalReceiver) throws -> KeyBuffer {
    let key: KeyBuffer
    switch self {
    case .credential(let name): key = try Self.credential(name, environment)
    case .descriptor(let file): key = try Self.handedOver(file, signals)
    case .terminal: key = try KeyPrompt(signals: signals).ask(isNew: isNew)
    }
    key.dropLineFeed()
    try key.check()
    return key
  }

  private static func credential(_ name: String, _ environment: [String: String]) throws -> KeyBuffer {
    guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else {
      throw HeadlessFailure.usage(
        "There are no credentials here: CREDENTIALS_DIRECTORY is not set.",
        remedy: "Give the unit the line LoadCredentialEncrypted=\(name).")
    }
    let file = unsafe open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      throw HeadlessFailure.storage(
        "The credential \(name) can't be opened: \(HeadlessFailure.text(ofError: errno)).",
        remedy: "Give the unit the line LoadCredentialEncrypted=\(name).")
    }
    defer { close(file) }
    var information = stat()
    guard unsafe fstat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
      information.st_mode & 0o007 == 0, process_file_is_in_memory(file)
    else {
      throw HeadlessFailure.usage(
        "The credential \(name) is a file on a disk, or one that others can read.",
        remedy: "Have systemd hand it over: its credentials are kept in memory, for one user.")
    }
    let key = try KeyBuffer()
    while try key.read(from: file) != nil {}
    return key
  }

  /// Returns whether this process was started with this file descriptor open.
  package static func isInherited(_ file: Int32) -> Bool {
    let flags = fcntl(file, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0
  }

  /// Reads the key from a descriptor that this process was started with, and closes it.
  private static func handedOver(_ file: Int32, _ signals: SignalReceiver) throws -> KeyBuffer {
    try refuseUnfit(file)
    let key = try KeyBuffer()
    repeat {
      while try !signals.isReadable(file, withinMilliseconds: 100) {}
    } while try key.read(from: file) != nil
    // The command does not inherit the key's descriptor, but always has a standard input.
    close(file)
    if file == STDIN_FILENO { _ = unsafe open("/dev/null", O_RDONLY) }
    return key
  }

  /// Throws for a terminal, which would show the key, and for a named file, which would store the key in clear.
  ///
  /// A file without a name is accepted: it is a here-document or here-string of the shell, or memory.
  private static func refuseUnfit(_ file: Int32) throws(HeadlessFailure) {
    if isatty(file) == 1 {
      throw .usage(
        "The descriptor \(file) is a terminal, which would show the key.",
        remedy: "Leave out --key-fd to be asked for the key.")
    }
    var information = stat()
    guard unsafe fstat(file, &information) == 0 else {
      throw .usage("The descriptor \(file) can't be read.")
    }
    if information.st_mode & S_IFMT == S_IFREG && information.st_nlink > 0 {
      throw .usage(
        "The descriptor \(file) is a file: a key that lies in clear beside its keyring protects nothing.",
        remedy: "Pipe the key from where it is kept, or use a systemd credential with --credential.")
    }
  }
}

/// A prompt for a keyring's key on the terminal.
struct KeyPrompt {
  let signals: SignalReceiver

  /// Asks once, or twice for a new keyring, because a typing error would make it inaccessible.
  func ask(isNew: Bool) throws -> KeyBuffer {
    let prompt = HiddenPrompt(signals: signals, absence: "Give the key with --credential or --key-fd.")
    let key = try prompt.line(isNew ? "New keyring's key: " : "Keyring's key: ")
    guard isNew, key.count > 0 else { return key }
    guard try prompt.line("The same once more: ").isSame(as: key) else {
      throw HeadlessFailure.unsuitableKey("The two keys differ.", remedy: "Try again.")
    }
    return key
  }
}
