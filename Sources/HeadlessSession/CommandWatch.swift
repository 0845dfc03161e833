// SPDX-License-Identifier: MIT

import Glibc

/// Waits for the command and makes this process behave like it.
///
/// Signals to this process are forwarded to the command. This process stops when the command stops, and exits with the
/// command's status.
struct CommandWatch {
  let command: ChildProcess
  let parts: SessionParts
  let signals: SignalReceiver
  /// Tells the user what has happened, in one sentence.
  let warn: (String) -> Void

  /// Returns the command's exit status, or 128 plus the number of the signal that ended it.
  func wait() -> Int32 {
    while true {
      let signal = signals.next()
      if signal.number == SIGCHLD {
        if let status = reap() { return status }
      } else {
        forward(signal)
      }
    }
  }

  /// Forwards a signal to the command.
  ///
  /// The terminal sends SIGINT, SIGQUIT and SIGTSTP to the whole foreground process group, so they are not forwarded.
  /// It sends SIGHUP only to the session leader, which may be this process, so SIGHUP is forwarded.
  private func forward(_ signal: SignalReceiver.Signal) {
    if signal.isFromTerminal && [SIGINT, SIGQUIT, SIGTSTP].contains(signal.number) { return }
    kill(command.identifier, signal.number)
  }

  /// Reaps all processes that have ended and handles those that have stopped.
  ///
  /// In a container this may be the first process, which must reap orphaned processes as well.
  private func reap() -> Int32? {
    while true {
      var status: Int32 = 0
      let identifier = unsafe waitpid(-1, &status, WNOHANG | WUNTRACED)
      guard identifier > 0 else { return nil }
      if status & 0xff == 0x7f {
        if identifier == command.identifier { stop(because: status >> 8 & 0xff) }
        continue
      }
      switch identifier {
      case command.identifier: return ChildProcess.exitStatus(status)
      case parts.daemon.identifier, parts.bus.identifier:
        let name = identifier == parts.bus.identifier ? "session bus" : "keyring daemon"
        warn("The \(name) has ended; the command has no keyring any more.")
      default: break
      }
    }
  }

  /// Stops this process when job control stopped the command, so that the user's shell notices.
  ///
  /// The SIGCONT that resumes this process is forwarded to the command.
  private func stop(because signal: Int32) {
    if [SIGTSTP, SIGTTIN, SIGTTOU].contains(signal) { kill(getpid(), SIGSTOP) }
  }
}
