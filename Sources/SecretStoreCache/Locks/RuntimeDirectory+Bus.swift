// SPDX-License-Identifier: MIT

extension RuntimeDirectory {
  /// Returns whether a runtime directory is the session bus's, which all programs on the bus are expected to have.
  ///
  /// A service, a container or a program that was started with another `XDG_RUNTIME_DIR` may use the same bus. It then
  /// shares the keyring with the user's apps, but no locks. So the socket of the bus must be in the directory itself:
  /// of two directories, one in the other, both would hold a socket in the inner one. A socket in a folder that can't
  /// be a runtime directory, as `/tmp`, belongs to the directory of systemd.
  ///
  /// - Parameters:
  ///   - environment: The environment, whose bus address is used; without one the bus is in the runtime directory.
  ///   - usual: The directory of systemd.
  package static func isOfBus(_ environment: [String: String], _ runtime: String, usual: String = usual)
    -> Bool
  {
    guard let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty else { return true }
    guard let runtime = PrivateFolder.resolved(runtime) else { return false }
    let privateFolders = foldersOfBus(environment).filter { PrivateFolder.state(of: $0) == .secure }
    if privateFolders.isEmpty { return runtime == PrivateFolder.resolved(usual) }
    return privateFolders.contains(runtime)
  }

  /// Returns whether the socket of the session bus is in a runtime directory itself.
  static func hasBus(_ environment: [String: String], _ runtime: String) -> Bool {
    let sockets = SessionBusOwner.socketPaths(environment).filter {
      FileReader().information($0, followsLink: true) != nil
    }
    return PrivateFolder.resolved(runtime).map(folders(of: sockets).contains) == true
  }

  /// Returns the folders of the bus's sockets, without links.
  package static func foldersOfBus(_ environment: [String: String]) -> [String] {
    folders(of: SessionBusOwner.socketPaths(environment))
  }

  private static func folders(of sockets: [String]) -> [String] {
    sockets.compactMap { path in
      PrivateFolder.resolved(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)))
    }
  }
}
