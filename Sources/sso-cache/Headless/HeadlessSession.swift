// SPDX-License-Identifier: MIT

import Glibc

/// A session of its own for one command: a bus and a keyring, which begin before it and end after it.
struct HeadlessSession {
  let inbox: SignalInbox
  let environment: [String: String]
  let keyring: KeyringDirectory

  /// Runs a command to its end.
  ///
  /// - Returns: The command's exit status, or 128 and the signal that ended it; 127 when there is no such command,
  ///   126 when it can't be run.
  func run(_ command: [String], key: KeyBuffer) throws -> Int32 {
    let session = try SessionDirectory(keyring: keyring, environment: environment)
    defer { session.remove() }
    let environments = HeadlessEnvironment(given: environment, keyring: keyring, session: session)
    let parts = try start(environments, key: key)
    defer { parts.end(inbox: inbox) }
    try inbox.throwIfInterrupted()
    do throws(ChildProcess.StartFailure) {
      let process = try ChildProcess.start(
        command: command, environment: environments.command(bus: parts.address), inbox: inbox)
      return CommandWatch(command: process, parts: parts, inbox: inbox).wait()
    } catch {
      let name = Printer.printable(command.first ?? "")
      Printer.error("sso-cache: \(name): \(HeadlessFailure.text(ofError: error.number))\n")
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
    let bus = try PrivateBus.start(environments, inbox: inbox, nothing: nothing, log: log)
    do {
      let daemon = try KeyringDaemon.start(
        environments, key: key, bus: bus.address, inbox: inbox, nothing: nothing, log: log)
      return SessionParts(bus: bus.process, daemon: daemon, address: bus.address)
    } catch {
      bus.process.end(inbox: inbox)
      throw error
    }
  }
}
