// SPDX-License-Identifier: MIT

import CProcess
import Glibc

/// A process that this one started, and has to reap.
struct ChildProcess {
  let identifier: pid_t

  /// A program that can't be started.
  struct StartFailure: Error {
    /// The error's number.
    let number: Int32
  }

  /// The files of a part of the session; no other is open in it.
  struct Files {
    var input: Int32
    var output: Int32
    var errors: Int32
    /// Kept open by whoever works on the keyring, so that its lock is held until the last of them has ended.
    var lock: Int32
  }

  /// Starts a command as the caller would: with its files, its terminal and its process group.
  static func start(
    command: [String], environment: [String: String], inbox: SignalInbox
  ) throws(StartFailure) -> ChildProcess {
    try start(command, environment, blocked: inbox.blockedBefore, deathSignal: SIGTERM, files: nil)
  }

  /// Starts a part of the session, which ends with this process even when this one is killed.
  static func start(
    part: [String], environment: [String: String], files: Files
  ) throws(StartFailure) -> ChildProcess {
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    return try start(part, environment, blocked: blocked, deathSignal: SIGKILL, files: files)
  }

  private static func start(
    _ arguments: [String], _ environment: [String: String], blocked: sigset_t, deathSignal: Int32,
    files: Files?
  ) throws(StartFailure) -> ChildProcess {
    let program = arguments.first ?? ""
    let list = CStrings(arguments)
    let variables = CStrings(environment.map { "\($0.key)=\($0.value)" })
    var number: Int32 = 0
    let identifier = unsafe program.withCString { program in
      unsafe withUnsafePointer(to: blocked) { blocked in
        var start = unsafe process_start(
          program: program, arguments: list.pointer, environment: variables.pointer, blocked: blocked,
          death_signal: deathSignal, is_part: files != nil, files: (0, 1, 2, 0))
        if let files { unsafe start.files = (files.input, files.output, files.errors, files.lock) }
        return unsafe process_begin(&start, &number)
      }
    }
    guard identifier > 0 else { throw StartFailure(number: number) }
    return ChildProcess(identifier: identifier)
  }

  /// How a process ended, as a shell says it; `nil` while it runs.
  func status() -> Int32? {
    var status: Int32 = 0
    let reaped = unsafe waitpid(identifier, &status, WNOHANG)
    if reaped == 0 { return nil }
    return reaped == identifier ? Self.exitStatus(status) : 0
  }

  /// The exit status of a process, or 128 and the signal that ended it.
  static func exitStatus(_ status: Int32) -> Int32 {
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }

  /// Ends the process, politely at first, and reaps it.
  func end(inbox: SignalInbox) {
    // One that was reaped has given its number away.
    if status() != nil { return }
    kill(identifier, SIGTERM)
    kill(identifier, SIGCONT)
    for _ in 0..<Self.graceMilliseconds / 10 {
      if status() != nil { return }
      _ = inbox.next(withinMilliseconds: 10)
    }
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
  }

  /// How long a process may take to end before it is killed.
  private static let graceMilliseconds = 5_000
}
