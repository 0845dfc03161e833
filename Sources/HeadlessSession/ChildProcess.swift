// SPDX-License-Identifier: MIT

import CProcess
import Glibc

/// A child process, which this process must reap.
///
/// swift-subprocess can't start it: the kernel ends it with this process (`PR_SET_PDEATHSIG`), a part of the session
/// keeps a fourth file open, and the command may stop and continue without being waited for to its end.
struct ChildProcess {
  let identifier: pid_t

  /// An error for a program that can't be started.
  struct StartFailure: Error {
    /// The value of `errno`.
    let number: Int32
  }

  /// The files of a part of the session.
  ///
  /// All other descriptors are closed in it.
  struct Files {
    var input: Int32
    var output: Int32
    var errors: Int32
    /// The lock file of the keyring.
    ///
    /// Every process that uses the keyring has it open, so the lock is held until the last of them ends.
    var lock: Int32
  }

  /// Starts the user's command with the caller's files, terminal and process group.
  ///
  /// The kernel sends it SIGTERM when this process ends.
  static func start(
    command: [String], environment: [String: String], signals: SignalReceiver
  ) throws(StartFailure) -> ChildProcess {
    try start(command, environment, blocked: signals.blockedBefore, deathSignal: SIGTERM, files: nil)
  }

  /// Starts a part of the session in a session of its own.
  ///
  /// The kernel kills it when this process ends, even when this process is killed.
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

  /// Returns the exit status in the form of a shell; `nil` while the process runs, 0 when it can't be waited for.
  func status() -> Int32? {
    var status: Int32 = 0
    let reaped = unsafe waitpid(identifier, &status, WNOHANG)
    if reaped == 0 { return nil }
    return reaped == identifier ? Self.exitStatus(status) : 0
  }

  /// Returns the exit status of a process, or 128 plus the number of the signal that ended it.
  static func exitStatus(_ status: Int32) -> Int32 {
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }

  /// Ends the process with SIGTERM, after five seconds with SIGKILL, and reaps it.
  func end(signals: SignalReceiver) {
    // The id of a reaped process may belong to another process by now.
    if status() != nil { return }
    kill(identifier, SIGTERM)
    kill(identifier, SIGCONT)
    for _ in 0..<Self.graceMilliseconds / 10 {
      if status() != nil { return }
      _ = signals.next(withinMilliseconds: 10)
    }
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
  }

  /// The time that a process has to end before it is killed.
  private static let graceMilliseconds = 5_000
}
