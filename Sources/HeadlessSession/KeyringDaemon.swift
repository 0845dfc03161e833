// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// The gnome-keyring daemon of `sso-cache run`.
enum KeyringDaemon {
  /// Starts the daemon, passes the key through its standard input, and waits until the keyring is open.
  ///
  /// - Parameter probe: The command that says by its exit status what state the keyring is in.
  static func start(
    _ environment: HeadlessEnvironment, key: KeyBuffer, bus address: String, probe: [String],
    signals: SignalReceiver, nothing: Int32, log: Int32
  ) throws -> ChildProcess {
    let wasNew = environment.keyring.isNew
    let files = KeyringFiles(folder: "\(environment.keyring.path)/keyrings")
    if let damage = files.folderDamage(writes: true) {
      throw HeadlessFailure.storage(
        "The folder \(damage.path) can't be used: \(damage.reason).",
        remedy: damage.remedy(then: "run it again.", movingAway: damage.path))
    }
    if files.hasLostLogin {
      throw HeadlessFailure.storage(
        "The file login.keyring is missing. It contained the passwords of the other keyrings, and a new file could not unlock them.",
        remedy: "Put it back, as from a backup; or move \(environment.keyring.path) away, and sign in again.")
    }
    if let fifo = files.endlessFile {
      throw HeadlessFailure.storage(
        "The file \(fifo.path) can't be used: \(fifo.reason).",
        remedy: fifo.remedy(then: "run it again.", movingAway: fifo.path))
    }
    if let damage = files.loginDamage {
      throw HeadlessFailure.storage(
        "The keyring's file can't be used: \(damage.reason). Another one would hide it.",
        remedy: damage.remedy(then: "run it again.", movingAway: environment.keyring.path))
    }
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
      switch try state(of: daemon, probe, variables, signals, nothing: nothing, log: log) {
      case .open: return daemon
      case .locked where !wasNew: throw HeadlessFailure.wrongKey(environment.keyring.path)
      case .locked, .absent:
        throw HeadlessFailure.unavailable(
          "gnome-keyring-daemon did not start.",
          remedy: "Check that \(environment.keyring.path) can be written, and that there is space.")
      }
    } catch {
      daemon.end(signals: signals)
      throw error
    }
  }

  /// Returns the state of the keyring.
  ///
  /// A child process queries the daemon, because a process can have only one session bus and this one has the
  /// caller's.
  private static func state(
    of daemon: ChildProcess, _ command: [String], _ environment: [String: String], _ signals: SignalReceiver,
    nothing: Int32, log: Int32
  ) throws -> KeyringState {
    let probe = try SessionParts.start(
      command, environment: environment,
      files: .init(input: nothing, output: nothing, errors: log, lock: nothing))
    do {
      for _ in 0..<SessionParts.limitMilliseconds / 10 {
        if let status = probe.status() { return KeyringState(status: status) }
        if daemon.status() != nil { break }
        try signals.throwIfInterrupted()
        usleep(10_000)
      }
      probe.end(signals: signals)
      return .absent
    } catch {
      probe.end(signals: signals)
      throw error
    }
  }
}
