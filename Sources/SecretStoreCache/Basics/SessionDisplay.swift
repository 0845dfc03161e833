// SPDX-License-Identifier: MIT

/// The display of the desktop session, on which a person sees the dialogs of the Secret Service.
package enum SessionDisplay {
  /// Returns whether there is a display.
  ///
  /// `DISPLAY` or `WAYLAND_DISPLAY` names it, and a program accepts connections there: a shell of tmux or screen keeps
  /// the variables of a desktop session that has ended. A display of X on another machine, as `ssh -X` forwards it,
  /// is taken to be there.
  package static func answers(_ environment: [String: String] = ProcessEnvironment.current) -> Bool {
    sockets(environment).map { $0.contains(where: \.acceptsConnections) } ?? true
  }

  /// Returns the sockets of the displays that the variables name; `nil` when one is on another machine.
  private static func sockets(_ environment: [String: String]) -> [LocalSocket]? {
    var sockets: [LocalSocket] = []
    if let name = environment["WAYLAND_DISPLAY"], !name.isEmpty {
      if name.hasPrefix("/") {
        sockets.append(.path(name))
      } else if let folder = environment["XDG_RUNTIME_DIR"] {
        sockets.append(.path("\(folder)/\(name)"))
      }
    }
    if let name = environment["DISPLAY"], !name.isEmpty {
      // X(7): HOST:DISPLAY.SCREEN, where a local display has no host, or the host "unix".
      guard let colon = name.lastIndex(of: ":") else { return sockets }
      guard ["", "unix"].contains(name[..<colon]) else { return nil }
      let path = "/tmp/.X11-unix/X\(name[colon...].dropFirst().prefix { $0 != "." })"
      sockets += [.path(path), .abstract(path)]
    }
    return sockets
  }
}
