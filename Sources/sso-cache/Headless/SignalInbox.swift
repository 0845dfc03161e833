// SPDX-License-Identifier: MIT

import CProcess
import Glibc

/// The signals that come to this process, taken one by one instead of by handlers.
///
/// It has to be made on the main thread, before there is another one.
struct SignalInbox {
  /// A signal that came.
  struct Arrival {
    let number: Int32
    /// Whether the terminal sent it, which sends it to every process of the foreground.
    let isFromTerminal: Bool

    /// Whether it asks to end.
    var isEnding: Bool { [SIGHUP, SIGINT, SIGQUIT, SIGTERM].contains(number) }
  }

  /// What was blocked before, which is what a command has to start with.
  let blockedBefore: sigset_t
  private let awaited: sigset_t

  /// Holds the signals back; those that the caller has this process ignore stay ignored.
  init() {
    var awaited = sigset_t()
    unsafe sigemptyset(&awaited)
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]
    where !Self.isIgnored(number) {
      unsafe sigaddset(&awaited, number)
    }
    // Ignored, it would take the children's status with it.
    signal(SIGCHLD, SIG_DFL)
    unsafe sigaddset(&awaited, SIGCHLD)
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &awaited, &before)
    self.awaited = awaited
    blockedBefore = before
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return handler == 1
  }

  /// The next signal; `nil` when none comes within some milliseconds.
  func next(withinMilliseconds limit: Int) -> Arrival? {
    var information = unsafe siginfo_t()
    var awaited = awaited
    var time = timespec(tv_sec: limit / 1000, tv_nsec: limit % 1000 * 1_000_000)
    let number = unsafe sigtimedwait(&awaited, &information, &time)
    return number > 0 ? unsafe arrival(number, information) : nil
  }

  /// The next signal, whenever it comes.
  func next() -> Arrival {
    while true {
      if let arrival = next(withinMilliseconds: 3_600_000) { return arrival }
    }
  }

  /// Whether a file can be read, or has ended, within some milliseconds.
  ///
  /// - Throws: ``Interrupted``
  func isReadable(_ file: Int32, withinMilliseconds limit: Int32) throws -> Bool {
    var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    let isReady = unsafe poll(&request, 1, limit) > 0
    try throwIfInterrupted()
    return isReady
  }

  /// Takes the signals that have come.
  ///
  /// - Throws: ``Interrupted`` when one of them asks to end.
  func throwIfInterrupted() throws {
    while let arrival = next(withinMilliseconds: 0) {
      if arrival.isEnding { throw Interrupted(signal: arrival.number) }
      if arrival.number == SIGTSTP { kill(getpid(), SIGSTOP) }
    }
  }

  private func arrival(_ number: Int32, _ information: siginfo_t) -> Arrival {
    let fromKernel: Int32 = 0x80  // SI_KERNEL
    return unsafe Arrival(number: number, isFromTerminal: information.si_code == fromKernel)
  }
}
