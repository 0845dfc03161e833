// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import SecretStoreCache

/// A check that no second gnome-keyring process of the user uses the same keyrings.
///
/// Each daemon writes whole files and overwrites the changes of the other.
struct SecondDaemonCheck: Sendable {
  let environment: DiagnosticEnvironment
  /// The program that owns the Secret Service's bus name; `nil` when it is not known.
  let program: ProviderProgram?

  static let name = "second-daemon"

  /// The time in which a `gnome-keyring-daemon` ends that only prints its version, or finds that one is running.
  private static let pause = Duration.milliseconds(300)

  func run() async throws -> CheckResult {
    guard let program else { return .ok("Which program the Secret Service is can't be seen.") }
    guard program.name == ProviderProgram.gnomeKeyring else {
      return .ok("Only gnome-keyring's files are at risk from a second one.")
    }
    guard environment.seesEnvironments else {
      return .ok("Which keyrings another gnome-keyring has can't be seen from within a user namespace.")
    }
    var others = others(than: program)
    if !others.isEmpty {
      try await Task.sleep(for: Self.pause)
      others.formIntersection(self.others(than: program))
    }
    guard let other = others.min() else {
      return .ok("No other gnome-keyring has the same keyrings.")
    }
    return .warning(
      "Another gnome-keyring of yours, process \(other), has the same keyrings: each may write over what the other has "
        + "just written, and a save or a sign-out is lost.",
      remedy: environment.desktopBus.map {
        "kill \(program.process) && \(DiagnosticEnvironment.using($0))"
      } ?? "kill \(other)")
  }

  /// Returns the process ids of the user's other gnome-keyring daemons that use the same keyrings.
  private func others(than program: ProviderProgram) -> Set<Int> {
    guard let own = keyrings(of: program.process) else { return [] }
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "\(environment.root)/proc")) ?? []
    let others = processes.compactMap { Int($0) }.filter { process in
      guard process != program.process, let comm = text(process, "comm") else { return false }
      return ProviderProgram(process: process, comm: comm).name == program.name
        && isOwnedByUser(process) && keyrings(of: process) == own && !onlyWaits(process)
    }
    return Set(others)
  }

  /// Returns the identity of the folder that holds a daemon's keyrings; `nil` when it can't be determined.
  ///
  /// The folder follows from the environment of the daemon. The environment of a daemon with file capabilities can't
  /// be read; then this process's environment is used. A daemon of `sso-cache run` has its own folder and is
  /// recognized by the path of its control socket. The environment of a process that is starting or exiting is empty.
  private func keyrings(of process: Int) -> FileIdentity? {
    let daemon = SystemProcess(process, in: "\(environment.root)/proc")
    switch daemon.environment {
    case nil where text(process, "cmdline")?.contains("/sso-cache") != false: return nil
    case let variables? where variables.isEmpty: return nil
    default: return FileIdentity(KeyringFiles(of: daemon, environment: environment.variables).folder)
    }
  }

  /// Returns whether a process waits for the end of the daemon that the login started, which it told to go on: D-Bus
  /// starts it with `--start`.
  ///
  /// Unlike a daemon, it listens at no control socket. The sockets of a program with file capabilities can't be seen;
  /// then its argument decides.
  private func onlyWaits(_ process: Int) -> Bool {
    guard text(process, "cmdline")?.split(separator: "\0").contains("--start") == true else { return false }
    let folder = "\(environment.root)/proc/\(process)/fd"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let targets = files.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return !targets.contains(where: listeningSockets(of: process).contains)
  }

  /// Returns the sockets of the network namespace of a process that accept connections, as links to them name them.
  private func listeningSockets(of process: Int) -> Set<String> {
    let sockets = (text(process, "net/unix") ?? "").split(whereSeparator: \.isNewline)
      .map { $0.split(separator: " ") }
    return Set(sockets.filter { $0.count > 6 && $0[3] == "00010000" }.map { "socket:[\($0[6])]" })
  }

  private func isOwnedByUser(_ process: Int) -> Bool {
    let line = text(process, "status")?.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Uid:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first == "\(getuid())"
  }

  private func text(_ process: Int, _ file: String) -> String? {
    FileReader.text("\(environment.root)/proc/\(process)/\(file)")
  }
}
