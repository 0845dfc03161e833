// SPDX-License-Identifier: MIT

/// The environment variables of the command and of the session parts in `sso-cache run`.
struct HeadlessEnvironment {
  /// The caller's environment.
  let inherited: [String: String]
  let keyring: KeyringDirectory
  let session: SessionDirectory

  /// The directory of the daemon's control socket.
  var control: String { "\(session.path)/control" }

  /// The environment of the bus and the daemon.
  ///
  /// It leads to nothing of the user's home directory, display or bus.
  var parts: [String: String] {
    var environment = inherited.filter { name, _ in
      ["PATH", "LANG", "LANGUAGE"].contains(name) || name.hasPrefix("LC_")
    }
    for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
      environment[name] = keyring.path
    }
    environment["XDG_RUNTIME_DIR"] = session.runtime
    return environment
  }

  /// Returns the environment of the daemon and of the process that queries it.
  func parts(bus address: String) -> [String: String] {
    parts.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }
  }

  /// Returns the environment of the command: the caller's with the private bus, and with a runtime directory when the
  /// caller has none.
  func command(bus address: String) -> [String: String] {
    var environment = inherited
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    environment["GNOME_KEYRING_CONTROL"] = control
    environment["SSO_CACHE_KEYRING"] = keyring.path
    for name in [
      "DBUS_SESSION_BUS_PID", "DBUS_SESSION_BUS_WINDOWID", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE",
    ] {
      environment[name] = nil
    }
    if session.callersRuntime == nil { environment["XDG_RUNTIME_DIR"] = session.runtime }
    return environment
  }
}
