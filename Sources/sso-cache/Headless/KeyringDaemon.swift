// SPDX-License-Identifier: MIT

import Glibc

/// The gnome-keyring of a run.
enum KeyringDaemon {
  /// Starts it, hands it the key through its standard input, and waits until the keyring is open.
  static func start(
    _ environment: HeadlessEnvironment, key: KeyBuffer, bus address: String, inbox: SignalInbox,
    nothing: Int32,
    log: Int32
  ) throws -> ChildProcess {
    let wasNew = environment.keyring.isNew
    let variables = environment.parts(bus: address)
    let input = try key.pipe()
    key.wipe()
    let daemon: ChildProcess
    do {
      defer { close(input) }
      daemon = try SessionParts.start(
        [
          "gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock",
          "--control-directory=\(environment.control)",
        ], environment: variables,
        files: .init(input: input, output: log, errors: log, lock: environment.keyring.lock))
    }
    do {
      switch try state(of: daemon, variables, inbox, nothing: nothing, log: log) {
      case .open: return daemon
      case .locked where !wasNew: throw HeadlessFailure.wrongKey(environment.keyring.path)
      case .locked, .absent:
        throw HeadlessFailure.unavailable(
          "gnome-keyring-daemon did not start.",
          remedy: "Check that \(environment.keyring.path) can be written, and that there is space.")
      }
    } catch {
      daemon.end(inbox: inbox)
      throw error
    }
  }

  /// Asks the daemon, in a process of its own: a process has one session bus, and this one has the caller's.
  private static func state(
    of daemon: ChildProcess, _ environment: [String: String], _ inbox: SignalInbox, nothing: Int32, log: Int32
  ) throws -> KeyringState {
    let probe = try SessionParts.start(
      ["/proc/self/exe", KeyringStateCommand.name], environment: environment,
      files: .init(input: nothing, output: nothing, errors: log, lock: nothing))
    do {
      for _ in 0..<SessionParts.limitMilliseconds / 10 {
        if let status = probe.status() { return KeyringState(status: status) }
        if daemon.status() != nil { break }
        try inbox.throwIfInterrupted()
        usleep(10_000)
      }
      probe.end(inbox: inbox)
      return .absent
    } catch {
      probe.end(inbox: inbox)
      throw error
    }
  }
}
