// SPDX-License-Identifier: MIT

import Glibc

/// What serves the command: a bus, and a gnome-keyring on it.
struct SessionParts {
  let bus: ChildProcess
  let daemon: ChildProcess
  /// The bus's address.
  let address: String

  /// The programs, and the Debian packages that have them.
  private static let packages = [
    "dbus-daemon": "dbus-daemon (dbus before Debian 12)", "gnome-keyring-daemon": "gnome-keyring",
  ]

  /// Refuses to go on where a program is missing.
  static func checkPrograms(environment: [String: String]) throws(HeadlessFailure) {
    let path = environment["PATH"] ?? "/bin:/usr/bin"
    for (program, package) in packages.sorted(by: { $0.key < $1.key }) {
      let isThere = path.split(separator: ":").contains { unsafe access("\($0)/\(program)", X_OK) == 0 }
      guard isThere else {
        throw .unavailable(
          "There is no \(program) on the PATH.", remedy: "Install the Debian package \(package).")
      }
    }
  }

  /// Starts a program of these.
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

  /// Ends both, the daemon first.
  func end(inbox: SignalInbox) {
    daemon.end(inbox: inbox)
    bus.end(inbox: inbox)
  }

  /// By when each of them has to be ready; it takes milliseconds on an idle machine.
  static let limitMilliseconds: Int32 = 30_000
}
