// SPDX-License-Identifier: MIT

import ArgumentParser
import CProcess
import FoundationEssentials
import Glibc
import HeadlessSession

/// The command `sso-cache run`.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command with a session bus and a keyring of its own, where there is no desktop session.",
    discussion: """
      For SSH, containers and CI. The keyring lasts from run to run; the bus and the keyring daemon end with the \
      command. The key comes from a systemd credential, from an open file that is handed over, or from the \
      terminal; it is never taken from a file on a disk, the environment or an argument. A line feed at its end is \
      left out.

      Examples:
        sso-cache run -- bash
        sso-cache run --credential keyring-key -- contoso-sync
        pass show keyring | sso-cache run --key-fd 0 -- sso-cache accounts
        sso-cache run --keyring ./keyring --key-fd 3 -- make test \\
          3< <(openssl rand -base64 32)

      Exit status: the command's own, 128 and the number of the signal that ended it, 126 when it can't be run, 127 \
      when there is no such command. Before the command is started: 64 usage, 65 a key that can't be one, 69 no \
      dbus-daemon or gnome-keyring-daemon, 74 a file can't be made or trusted, 75 another run uses the keyring, 77 \
      wrong key.
      """)

  @Option(
    help: ArgumentHelp(
      "The keyring's directory, which is made when it is missing; sso-cache/keyring below the data home by default.",
      valueName: "directory"),
    completion: .directory)
  var keyring: String?

  @Option(help: ArgumentHelp("Take the key from this systemd credential.", valueName: "name"))
  var credential: String?

  @Option(
    help: ArgumentHelp(
      "Read the key from this open file, to its end: a pipe, not a file on a disk.", valueName: "number"))
  var keyFd: Int32?

  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
  var command: [String]

  func validate() throws {
    if credential != nil && keyFd != nil {
      throw ValidationError("The key comes from one place: leave out --credential or --key-fd.")
    }
    if let credential, credential.isEmpty || credential.contains("/") || credential.hasPrefix(".") {
      throw ValidationError("A credential's name is not a path.")
    }
    if let keyFd, keyFd == 1 || keyFd == 2 || !KeySource.isInherited(keyFd) {
      throw ValidationError("No file is open for reading as \(keyFd).")
    }
    if keyring?.isEmpty == true { throw ValidationError("The keyring's directory has no name.") }
    if command.first?.isEmpty != false { throw ValidationError("Name the command to run, after --.") }
  }

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    let signals = SignalReceiver()
    _ = process_hide()
    try SessionParts.checkPrograms(environment: environment)
    try SessionParts.checkUser()
    let directory = try KeyringDirectory(
      try keyring ?? KeyringDirectory.standard(environment: environment))
    let source: KeySource
    if let credential {
      source = .credential(credential)
    } else if let keyFd {
      source = .descriptor(keyFd)
    } else {
      source = .terminal
    }
    let key = try source.key(isNew: directory.isNew, environment: environment, signals: signals)
    let session = HeadlessSession(
      signals: signals, environment: environment, keyring: directory,
      probe: ["/proc/self/exe", KeyringStateCommand.name],
      warn: { Printer.error("sso-cache: \(Printer.printable($0))\n") })
    throw ExitCode(try session.run(command, key: key))
  }
}
