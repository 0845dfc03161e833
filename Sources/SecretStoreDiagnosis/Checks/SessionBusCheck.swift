// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that a session bus is available.
struct SessionBusCheck: Sendable {
  let environment: DiagnosticEnvironment

  static let name = "bus"

  func run(_ connect: () async throws -> SessionBus = SessionBus.connect) async -> (CheckResult, SessionBus?)
  {
    do {
      let bus = try await connect()
      _ = try await bus.activatableNames()
      if let renamed = serviceRenamed { return (renamed, bus) }
      return (.ok("The session bus replies."), bus)
    } catch let error as SecretStoreError where error.code == .timedOut {
      return (
        .error(
          .timedOut, "The session bus does not reply.", remedy: "Restart the session bus: \(NewLogin.words)."),
        nil
      )
    } catch let error as SecretStoreError where error.code == .serviceUnavailable {
      return (.error(error.code, error.detail, remedy: elsewhere), nil)
    } catch {
      return (refusedOfNamespace ?? .error(.serviceUnavailable, detail, remedy: remedy), nil)
    }
  }

  /// The result when a variable has libsecret look for the Secret Service under another name; otherwise `nil`.
  private var serviceRenamed: CheckResult? {
    let variable = "SECRET_SERVICE_BUS_NAME"
    guard let name = environment.variables[variable], name != ServiceHandle.busName else { return nil }
    return .error(
      .serviceUnavailable,
      "\(variable) is set to \(name.isEmpty ? "nothing" : name), where libsecret looks for the Secret Service.",
      remedy: "unset \(variable)")
  }

  /// The result when the bus is there and does not know this process's user, as in `unshare --user`; otherwise `nil`.
  ///
  /// A client states its user id to the bus, and the kernel states another one: that outside of the namespace.
  private var refusedOfNamespace: CheckResult? {
    let sockets = SessionBusOwner.socketPaths(environment.variables)
    guard !environment.mapsOwnUser,
      let socket = sockets.first(where: { LocalSocket.path($0).acceptsConnections })
    else { return nil }
    return .error(
      .serviceUnavailable,
      "The session bus \(socket) refuses this process, which is in a user namespace where your user id is another one.",
      remedy: "Run it outside of that user namespace.")
  }

  private var detail: String {
    if environment.variables[DiagnosticEnvironment.busAddress] == "" {
      return "\(DiagnosticEnvironment.busAddress) is set and empty: no bus is looked for elsewhere."
    }
    if environment.variable(DiagnosticEnvironment.busAddress) != nil {
      return "\(DiagnosticEnvironment.busAddress) is set, and no bus replies there."
    }
    let hasSocket = environment.variable("XDG_RUNTIME_DIR").map { environment.isSocket("\($0)/bus") } == true
    return "\(DiagnosticEnvironment.busAddress) is not set, and "
      + (hasSocket ? "no bus replies in XDG_RUNTIME_DIR." : "there is no bus in XDG_RUNTIME_DIR.")
  }

  /// The remedy that sets the address of the login's bus when the environment lacks it, as in a cron job.
  private var remedy: String {
    if let address = environment.otherBuses.first { return DiagnosticEnvironment.using(address) }
    if environment.variable("SUDO_UID") != nil { return GeneralRemedy.withoutSudo }
    return "Start it in a desktop session, or, where there is none, by: sso-cache run -- COMMAND"
  }

  /// The remedy when the bus, or its folder, belongs to another user, as after `sudo -E`.
  private var elsewhere: String {
    if let folder = SessionBusFolder(environment.variables) {
      return folder.remedy(in: environment.variables)
    }
    return environment.variable("SUDO_UID") == nil ? remedy : GeneralRemedy.withoutSudo
  }
}
