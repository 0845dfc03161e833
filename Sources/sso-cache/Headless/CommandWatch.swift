// SPDX-License-Identifier: MIT

import Glibc

/// Waits for the command as if it ran without us: signals that come to us go to it, we stop when it stops, and its
/// status is ours.
struct CommandWatch {
  let command: ChildProcess
  let parts: SessionParts
  let inbox: SignalInbox

  /// The command's exit status, or 128 and the signal that ended it.
  func wait() -> Int32 {
    while true {
      let arrival = inbox.next()
      if arrival.number == SIGCHLD {
        if let status = reap() { return status }
      } else {
        passOn(arrival)
      }
    }
  }

  /// Sends a signal on.
  ///
  /// What the terminal sends to the foreground goes to the command without us. A hang-up does not: it goes to the
  /// session's leader alone, which may be this process.
  private func passOn(_ arrival: SignalInbox.Arrival) {
    if arrival.isFromTerminal && [SIGINT, SIGQUIT, SIGTSTP].contains(arrival.number) { return }
    kill(command.identifier, arrival.number)
  }

  /// Takes every process that has ended or stopped; one that nobody else waits for is ours to take in a container,
  /// where this may be the first process.
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
        Printer.error("sso-cache: The \(name) has ended; the command has no keyring any more.\n")
      default: break
      }
    }
  }

  /// Stops with the command when the person at the terminal had it stopped, so that their shell sees it.
  ///
  /// What wakes this process is passed on.
  private func stop(because signal: Int32) {
    if [SIGTSTP, SIGTTIN, SIGTTOU].contains(signal) { kill(getpid(), SIGSTOP) }
  }
}
