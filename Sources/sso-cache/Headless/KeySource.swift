// SPDX-License-Identifier: MIT

import CProcess
import Glibc

/// Where the key of a keyring comes from: memory that others can't read, a pipe, or a person; never a file on a
/// disk, the environment or an argument, which others can read or which outlive the run.
enum KeySource {
  /// A systemd credential of the service that this runs in, by its name.
  case credential(String)
  /// An open file that the caller hands over.
  case descriptor(Int32)
  /// The person at the terminal.
  case terminal

  /// Reads the key.
  ///
  /// - Parameter isNew: Whether the keyring is yet to be made: then a person is asked twice.
  func key(isNew: Bool, environment: [String: String], inbox: SignalInbox) throws -> KeyBuffer {
    let key: KeyBuffer
    switch self {
    case .credential(let name): key = try Self.credential(name, environment)
    case .descriptor(let file): key = try Self.handedOver(file, inbox)
    case .terminal: key = try KeyPrompt(inbox: inbox).ask(isNew: isNew)
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
    let key = KeyBuffer()
    while try key.read(from: file) != nil {}
    return key
  }

  /// Whether this process was started with an open file of that number.
  static func isHandedOver(_ file: Int32) -> Bool {
    let flags = fcntl(file, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0
  }

  private static func handedOver(_ file: Int32, _ inbox: SignalInbox) throws -> KeyBuffer {
    try refuseUnfit(file)
    let key = KeyBuffer()
    repeat {
      while try !inbox.isReadable(file, withinMilliseconds: 100) {}
    } while try key.read(from: file) != nil
    // The command gets no file that it does not expect, and always a standard input.
    close(file)
    if file == STDIN_FILENO { _ = unsafe open("/dev/null", O_RDONLY) }
    return key
  }

  /// Refuses a terminal, which would show the key, and a file with a name, which is a key in clear on a disk.
  ///
  /// A file without a name is taken: a here-document or here-string of the caller's shell, or memory.
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
