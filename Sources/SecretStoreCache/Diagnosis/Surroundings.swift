// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import TokenCacheModel

/// What a diagnosis looks at besides the Secret Service: the environment, the system's files and the clock.
package struct Surroundings: Sendable {
  var environment: [String: String]
  /// What stands before the paths of the system's files; empty for this system's.
  var root: String
  var clock: any WallClock

  package init(
    environment: [String: String]? = nil, root: String = "", clock: any WallClock = SystemWallClock()
  ) {
    self.environment = environment ?? ProcessEnvironment.current
    self.root = root
    self.clock = clock
  }

  /// A variable that is set and not empty.
  func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// The directory that the keyring of a run of `sso-cache run` is in; `nil` outside of one.
  var runsKeyring: String? { variable("SSO_CACHE_KEYRING") }

  /// What brings a Secret Service back.
  ///
  /// In a run it is the run's own: another gnome-keyring there would open the user's keyrings instead.
  var starting: String {
    if runsKeyring != nil { return "End this run of sso-cache run, and start it again." }
    return hasProgram("gnome-keyring-daemon")
      ? GeneralRemedy.startGnomeKeyring() : "sudo apt install gnome-keyring"
  }

  /// Which sandbox this process is in.
  var sandbox: Sandbox? {
    let facts = SystemProcessFacts(root: root, environment: environment).processFacts()
    switch facts.flatpak {
    case .app(let name): return .flatpak(name)
    case .unreadable: return .flatpak("APP")
    case .none: break
    }
    guard let identity = try? AppIdentity(stated: nil, facts: facts), identity.source == .snap else {
      return nil
    }
    return .snap(variable("SNAP_INSTANCE_NAME") ?? variable("SNAP_NAME") ?? identity.app.name)
  }

  enum Sandbox: Sendable, Hashable {
    /// A Flatpak, by its id.
    case flatpak(String)
    /// A snap, by its name.
    case snap(String)
  }

  /// Whether the clock has been set by a server's since the system was started, as systemd-timesyncd(8) tells by a file.
  var isClockSynchronized: Bool {
    FileReader().information("\(root)/run/systemd/timesync/synchronized", followsLink: false) != nil
  }

  /// Whether a program of a name is along `PATH`.
  func hasProgram(_ name: String) -> Bool {
    (variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains {
      unsafe access("\($0)/\(name)", X_OK) == 0
    }
  }
}
