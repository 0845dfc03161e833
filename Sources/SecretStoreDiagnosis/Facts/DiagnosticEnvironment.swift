// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// The inputs of a diagnosis other than the Secret Service: environment variables, system files and the clock.
package struct DiagnosticEnvironment: Sendable {
  var variables: [String: String]
  /// The prefix of all paths of system files; empty outside of tests.
  var root: String
  var clock: any WallClock
  /// The problems of the files of grants, as the agent finds them.
  var grantProblems: [GrantProblem] = []
  /// The address of the desktop's bus where this process uses another one; set while the session is checked.
  var desktopBus: String?
  /// The program that owns the Secret Service's bus name, where it is known; set likewise.
  var program: ProviderProgram?
  /// gnome-keyring's files; those of the running daemon once it is known.
  var keyrings: KeyringFiles

  package init(
    variables: [String: String]? = nil, root: String = "", clock: any WallClock = SystemWallClock()
  ) {
    let variables = variables ?? ProcessEnvironment.current
    self.variables = variables
    keyrings = KeyringFiles(of: nil, environment: variables)
    self.root = root
    self.clock = clock
  }

  /// The process of gnome-keyring's daemon; `nil` when another program is the Secret Service.
  var daemon: Int? { program?.name == ProviderProgram.gnomeKeyring ? program?.process : nil }

  /// Returns the value of a variable; `nil` when it is not set or empty.
  func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// The directory of the keyring of `sso-cache run`; `nil` outside of such a session, or after its end.
  var privateKeyring: String? { ProcessEnvironment.privateKeyring(in: variables) }

  /// The remedy that starts a Secret Service.
  ///
  /// In a session of `sso-cache run`, only that session may start one: another gnome-keyring would open the user's own
  /// keyrings. So it would beside the desktop's.
  var starting: String {
    if let desktopBus { return Self.using(desktopBus) }
    if privateKeyring != nil { return "End this run of sso-cache run, and start it again." }
    if sandbox != nil {
      return "Run sso-cache doctor outside of the sandbox: it says there how to start one."
    }
    return hasProgram("gnome-keyring-daemon")
      ? leadingToKeyrings(GeneralRemedy.startGnomeKeyring()) : "sudo apt install gnome-keyring"
  }

  /// Whether a prompt would not be visible here, as over SSH, on a console, or after the desktop session has ended.
  var hidesDialogs: Bool { !SessionDisplay.answers(variables) }

  /// Returns the remedy that unlocks gnome-keyring's login keyring, and thereby the group.
  ///
  /// The command asks on the terminal where no dialog would be visible, and leaves the daemon with what it has open.
  func unlocking(_ group: AccessGroup?) -> String {
    if desktopBus != nil || hidesDialogs && privateKeyring != nil { return starting }
    if let group { return ToolCommand.on(group, "group unlock --prompt") }
    return hidesDialogs
      ? ToolCommand.makeLogin
      : "Sign in to the desktop with your password, or unlock Login in Passwords and Keys."
  }

  /// The remedy that replaces gnome-keyring's daemon by one whose login keyring is open.
  ///
  /// A daemon ends for another one through its control socket. Where that is gone it keeps the name on the bus.
  var restarting: String {
    if desktopBus != nil || privateKeyring != nil { return starting }
    if let daemon, !hasControlSocket { return endingDaemon(daemon) }
    return leadingToKeyrings(GeneralRemedy.startGnomeKeyring(replacing: true))
  }

  /// Returns the remedy that ends a daemon which can't be told to, and starts another one.
  func endingDaemon(_ daemon: Int) -> String {
    if desktopBus != nil || privateKeyring != nil { return starting }
    return "kill \(daemon) && timeout 10 tail -f --pid=\(daemon) /dev/null; "
      + leadingToKeyrings(GeneralRemedy.startGnomeKeyring())
  }

  private var hasControlSocket: Bool {
    let folder = variable("GNOME_KEYRING_CONTROL") ?? variable("XDG_RUNTIME_DIR").map { "\($0)/keyring" }
    return folder.map { LocalSocket.path("\($0)/control").acceptsConnections } == true
  }

  /// The sandbox of this process; `nil` when there is none.
  var sandbox: Sandbox? {
    let facts = SystemProcessFacts(root: root, environment: variables).processFacts()
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
    /// A Flatpak with its application id.
    case flatpak(String)
    /// A snap with its instance name.
    case snap(String)

    /// The app's name, as the agent knows it.
    var name: String {
      switch self {
      case .flatpak(let name), .snap(let name): name
      }
    }
  }

  /// Whether a time server has set the clock since the system started, according to the file of systemd-timesyncd(8).
  var isClockSynchronized: Bool {
    FileReader().information("\(root)/run/systemd/timesync/synchronized", followsLink: false) != nil
  }

  /// Returns whether `PATH` has a program of this name.
  func hasProgram(_ name: String) -> Bool { ProcessEnvironment.hasProgram(name, in: variables) }
}
