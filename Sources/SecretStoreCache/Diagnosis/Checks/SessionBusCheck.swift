// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// Whether there is a session bus.
struct SessionBusCheck: Sendable {
  let surroundings: Surroundings

  static let name = "bus"

  func find(_ connect: () async throws -> SessionBus = SessionBus.connect) async -> (Finding, SessionBus?) {
    do {
      let bus = try await connect()
      _ = try await bus.activatableNames()
      return (.ok("The session bus answers."), bus)
    } catch let error as SecretStoreError where error.code == .timedOut {
      return (
        .error(.timedOut, "The session bus does not answer.", remedy: "Log out, and in again."), nil
      )
    } catch {
      return (.error(.serviceUnavailable, detail, remedy: remedy), nil)
    }
  }

  private var detail: String {
    if surroundings.variable(Self.addressName) != nil {
      return "\(Self.addressName) is set, and no bus answers there."
    }
    return "\(Self.addressName) is not set, and there is no bus in XDG_RUNTIME_DIR."
  }

  private static let addressName = "DBUS_SESSION_BUS_ADDRESS"

  /// Where the login's bus is, when a program has lost its way to it, as by `sudo` or in a job of cron's.
  private var remedy: String {
    let folders = [surroundings.variable("XDG_RUNTIME_DIR"), "/run/user/\(getuid())"].compactMap(\.self)
    for folder in folders {
      let socket = "\(folder)/bus"
      guard let info = FileReader().information(surroundings.root + socket, followsLink: true),
        info.st_mode & S_IFMT == S_IFSOCK, surroundings.variable(Self.addressName) != "unix:path=\(socket)"
      else { continue }
      return "export \(Self.addressName)=\(ToolCommand.quoted("unix:path=\(socket)"))"
    }
    return "Start it in a desktop session, or, where there is none, by: sso-cache run -- COMMAND"
  }
}
