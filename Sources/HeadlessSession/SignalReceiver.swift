// SPDX-License-Identifier: MIT

import CProcess
import Glibc

/// The signals to this process, received synchronously instead of by handlers.
///
/// Create it on the main thread before other threads exist.
package struct SignalReceiver {
  /// A received signal.
  struct Signal {
    let number: Int32
    /// Whether the terminal sent the signal.
    ///
    /// The terminal sends it to all processes of the foreground process group.
    let isFromTerminal: Bool

    /// Whether the signal requests termination.
    var isEnding: Bool { [SIGHUP, SIGINT, SIGQUIT, SIGTERM].contains(number) }
  }

  /// The signals that were blocked before.
  ///
  /// A command starts with this mask.
  let blockedBefore: sigset_t
  private let awaited: sigset_t

  /// Blocks the signals.
  ///
  /// Signals that the caller set to be ignored stay ignored.
  package init() {
    var awaited = sigset_t()
    unsafe sigemptyset(&awaited)
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]
    where !Self.isIgnored(number) {
      unsafe sigaddset(&awaited, number)
    }
    // If SIGCHLD were ignored, the kernel would discard the exit status of children.
    signal(SIGCHLD, SIG_DFL)
    unsafe sigaddset(&awaited, SIGCHLD)
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &awaited, &before)
    self.awaited = awaited
    blockedBefore = before
  }

  /// Restores the previous signal mask.
  package func close() {
    var before = blockedBefore
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return handler == 1
  }

  /// Returns the next signal; `nil` when none arrives within the time limit.
  func next(withinMilliseconds limit: Int) -> Signal? {
    var information = unsafe siginfo_t()
    var awaited = awaited
    var time = timespec(tv_sec: limit / 1000, tv_nsec: limit % 1000 * 1_000_000)
    let number = unsafe sigtimedwait(&awaited, &information, &time)
    return number > 0 ? unsafe received(number, information) : nil
  }

  /// Returns the next signal, without a time limit.
  func next() -> Signal {
    while true {
      if let signal = next(withinMilliseconds: 3_600_000) { return signal }
    }
  }

  /// Returns whether a file has data or has ended, within the time limit.
  ///
  /// - Throws: ``Interrupted``
  func isReadable(_ file: Int32, withinMilliseconds limit: Int32) throws -> Bool {
    var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    let isReady = unsafe poll(&request, 1, limit) > 0
    try throwIfInterrupted()
    return isReady
  }

  /// Handles the pending signals.
  ///
  /// - Throws: ``Interrupted`` when one of them requests termination.
  func throwIfInterrupted() throws {
    while let signal = next(withinMilliseconds: 0) {
      if signal.isEnding { throw Interrupted(signal: signal.number) }
      if signal.number == SIGTSTP { kill(getpid(), SIGSTOP) }
    }
  }

  private func received(_ number: Int32, _ information: siginfo_t) -> Signal {
    let fromKernel: Int32 = 0x80  // SI_KERNEL
    return unsafe Signal(number: number, isFromTerminal: information.si_code == fromKernel)
  }
}

/// An error for a signal that ended the tool before the command was started.
package struct Interrupted: Error {
  private let signal: Int32

  package init(signal: Int32) { self.signal = signal }

  /// The exit status of a shell for a program that the signal ended.
  package var exitStatus: Int32 { ChildProcess.exitStatus(signal) }
}
