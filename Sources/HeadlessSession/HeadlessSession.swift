// SPDX-License-Identifier: MIT

import Glibc

/// A private session for one command: a bus and a keyring daemon, which start before the command and end after it.
package struct HeadlessSession {
  let signals: SignalReceiver
  let environment: [String: String]
  let keyring: KeyringDirectory
  /// The command that says by its exit status what state the login keyring of its session bus is in: the raw value of
  /// a ``KeyringState``.
  let probe: [String]
  /// Tells the user what has happened, in one sentence.
  let warn: (String) -> Void

  package init(
    signals: SignalReceiver, environment: [String: String], keyring: KeyringDirectory, probe: [String],
    warn: @escaping (String) -> Void
  ) {
    self.signals = signals
    self.environment = environment
    self.keyring = keyring
    self.probe = probe
    self.warn = warn
  }

  /// Runs a command until it ends.
  ///
  /// - Returns: The command's exit status, or 128 plus the number of the signal that ended it; 127 when there is no
  ///   such command, 126 when it can't be run.
  package func run(_ command: [String], key: KeyBuffer) throws -> Int32 {
    let session = try SessionDirectory(keyring: keyring, environment: environment)
    defer { session.remove() }
    let environments = HeadlessEnvironment(inherited: environment, keyring: keyring, session: session)
    let parts = try start(environments, key: key)
    defer { parts.end(signals: signals) }
    try signals.throwIfInterrupted()
    do throws(ChildProcess.StartFailure) {
      let process = try ChildProcess.start(
        command: command, environment: environments.command(bus: parts.address), signals: signals)
      return CommandWatch(command: process, parts: parts, signals: signals, warn: warn).wait()
    } catch {
      warn("\(command.first ?? ""): \(HeadlessFailure.text(ofError: error.number))")
      return error.number == ENOENT ? 127 : 126
    }
  }

  private func start(_ environments: HeadlessEnvironment, key: KeyBuffer) throws -> SessionParts {
    let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    let log = unsafe open(environments.session.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer {
      close(nothing)
      close(log)
    }
    guard nothing >= 0, log >= 0 else {
      throw HeadlessFailure.storage("The log can't be made.", remedy: "Check that there is space.")
    }
    let bus = try PrivateBus.start(environments, signals: signals, nothing: nothing, log: log)
    do {
      let daemon = try KeyringDaemon.start(
        environments, key: key, bus: bus.address, probe: probe, signals: signals, nothing: nothing, log: log)
      return SessionParts(bus: bus.process, daemon: daemon, address: bus.address)
    } catch {
      bus.process.end(signals: signals)
      throw error
    }
  }
}
