// SPDX-License-Identifier: MIT

import Glibc

/// The environments of a run: the one that the command gets, and the one of what serves it.
struct HeadlessEnvironment {
  /// The caller's.
  let given: [String: String]
  let keyring: KeyringDirectory
  let session: SessionDirectory

  /// Where the daemon has its control socket.
  var control: String { "\(session.path)/control" }

  /// For the bus and the daemon: nothing of the user's home, display or bus, whatever either starts.
  var parts: [String: String] {
    var environment = given.filter { name, _ in
      ["PATH", "LANG", "LANGUAGE"].contains(name) || name.hasPrefix("LC_")
    }
    for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
      environment[name] = keyring.path
    }
    environment["XDG_RUNTIME_DIR"] = session.runtime
    return environment
  }

  /// For the daemon and who asks it.
  func parts(bus address: String) -> [String: String] {
    parts.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }
  }

  /// For the command: the caller's, with another bus, and a runtime directory where there is none.
  func command(bus address: String) -> [String: String] {
    var environment = given
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    environment["GNOME_KEYRING_CONTROL"] = control
    environment["SSO_CACHE_KEYRING"] = keyring.path
    for name in [
      "DBUS_SESSION_BUS_PID", "DBUS_SESSION_BUS_WINDOWID", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE",
    ] {
      environment[name] = nil
    }
    if !hasRuntimeDirectory { environment["XDG_RUNTIME_DIR"] = session.runtime }
    return environment
  }

  private var hasRuntimeDirectory: Bool {
    guard let path = given["XDG_RUNTIME_DIR"], path.hasPrefix("/") else { return false }
    var information = stat()
    return unsafe stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
      && information.st_uid == geteuid()
  }
}
