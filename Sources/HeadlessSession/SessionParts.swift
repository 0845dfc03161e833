// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// The processes that serve the command: a bus, and a gnome-keyring daemon on it.
package struct SessionParts {
  let bus: ChildProcess
  let daemon: ChildProcess
  /// The address of the bus.
  let address: String

  /// The programs with the Debian packages that contain them.
  private static let packages = [
    "dbus-daemon": "dbus-daemon (dbus before Debian 12)", "gnome-keyring-daemon": "gnome-keyring",
  ]

  /// Throws when a program is missing.
  package static func checkPrograms(environment: [String: String]) throws(HeadlessFailure) {
    for (program, package) in packages.sorted(by: { $0.key < $1.key })
    where !ProcessEnvironment.hasProgram(program, in: environment) {
      throw .unavailable(
        "There is no \(program) on the PATH.", remedy: "Install the Debian package \(package).")
    }
  }

  /// Throws when the user is not in the user database, because D-Bus rejects such users.
  package static func checkUser() throws(HeadlessFailure) {
    guard unsafe getpwuid(geteuid()) == nil else { return }
    let user = geteuid()
    throw .unavailable(
      "The user \(user) has no entry in /etc/passwd, without which no program is let onto the session bus.",
      remedy: "As root: useradd --no-create-home --uid \(user) user\(user)")
  }

  /// Starts one of the programs.
  static func start(
    _ arguments: [String], environment: [String: String], files: ChildProcess.Files
  ) throws(HeadlessFailure) -> ChildProcess {
    do throws(ChildProcess.StartFailure) {
      return try ChildProcess.start(part: arguments, environment: environment, files: files)
    } catch {
      let program = arguments.first ?? ""
      let remedy =
        error.number == EPERM
        ? "The container withholds a capability that the program's file asks for: start the container with "
          + "--cap-add=IPC_LOCK, or run in its image setcap -r on the program."
        : "Install the Debian package \(packages[program] ?? program) again."
      throw .unavailable(
        "\(program) can't be started: \(HeadlessFailure.text(ofError: error.number)).", remedy: remedy)
    }
  }

  /// Ends both processes, the daemon first.
  func end(signals: SignalReceiver) {
    daemon.end(signals: signals)
    bus.end(signals: signals)
  }

  /// The time that each process has to become ready.
  ///
  /// On an idle machine it takes milliseconds.
  static let limitMilliseconds: Int32 = 30_000
}
