// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import SecretStoreCache

/// The user's buses other than the one that this process uses.
extension DiagnosticEnvironment {
  static let busAddress = "DBUS_SESSION_BUS_ADDRESS"

  /// The addresses of the user's other buses at which a program accepts connections: of the runtime directory, and of
  /// the login.
  var otherBuses: [String] {
    let own = SessionBusOwner.socketPaths(variables)
    let folders = [variable("XDG_RUNTIME_DIR"), RuntimeDirectory.usual].compactMap(\.self)
    return folders.map { "\($0)/bus" }.filter { socket in
      !own.contains(socket) && isSocket(socket)
        && LocalSocket.path(root + socket).acceptsConnections
        && (try? SessionBusOwner.check([Self.busAddress: "unix:path=\(socket)"])) != nil
    }.map { "unix:path=\($0)" }
  }

  /// Returns the address of the user's other bus on which a Secret Service runs, as the desktop's beside a shell of
  /// `dbus-run-session`; `nil` when there is none.
  func findDesktopBus() async -> String? {
    if privateKeyring != nil || sandbox != nil { return nil }
    for address in otherBuses {
      let bus = try? await SessionBus.connect(to: address)
      if let bus, (try? await bus.hasOwner(ServiceHandle.busName)) == true { return address }
    }
    return nil
  }

  /// Whether this process's user has the same id outside of its user namespace (user_namespaces(7)).
  var mapsOwnUser: Bool {
    guard let map = FileReader.text("\(root)/proc/self/uid_map") else { return true }
    let user = Int(geteuid())
    return map.split(whereSeparator: \.isNewline).contains { line in
      let range = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      return range.count == 3 && range[0] == range[1] && (range[0]..<range[0] + range[2]).contains(user)
    }
  }

  /// Whether the environment of a process outside of this one's user namespace can be read: not from within one that was
  /// made for this process (ptrace(2), PTRACE_MODE_READ).
  var seesEnvironments: Bool {
    guard let map = FileReader.text("\(root)/proc/self/uid_map") else { return true }
    return map.split(whereSeparator: \.isWhitespace) == ["0", "0", "\(UInt32.max)"]
  }

  /// Returns the command that makes a shell use a bus.
  static func using(_ address: String) -> String { "export \(busAddress)=\(ShellWord.quoted(address))" }

  func isSocket(_ path: String) -> Bool {
    FileReader().information(root + path, followsLink: true)
      .map { $0.st_mode & S_IFMT == S_IFSOCK } == true
  }
}
