// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that a Secret Service runs or that D-Bus can start one.
struct ActivationCheck: Sendable {
  let environment: DiagnosticEnvironment
  let bus: SessionBus

  static let name = "activation"

  func run() async throws -> CheckResult {
    let isRunning = try await bus.hasOwner(ServiceHandle.busName)
    if try await bus.activatableNames().contains(ServiceHandle.busName) {
      return .ok(isRunning ? "A Secret Service runs." : "D-Bus starts a Secret Service when one is needed.")
    }
    if isRunning { return .ok("A Secret Service runs; D-Bus would not start one by itself.") }
    if let blocked = Self.blocked(environment) { return blocked }
    return .error(
      .serviceUnavailable, "No program on the session bus is a Secret Service, and D-Bus can't start one.",
      remedy: remedy)
  }

  /// Returns the result for a file that keeps gnome-keyring from starting; `nil` where there is none, or another
  /// program is the user's provider.
  static func blocked(_ environment: DiagnosticEnvironment) -> CheckResult? {
    guard UsualProvider(environment).remedy == nil, let fifo = environment.keyrings.endlessFile else {
      return nil
    }
    return .error(
      .serviceUnavailable,
      "No program on the session bus is a Secret Service: \(fifo.path) keeps the keyring daemon from starting, because"
        + " \(fifo.reason).",
      remedy: fifo.remedy(then: "run sso-cache doctor again.", movingAway: fifo.path))
  }

  /// The remedy that starts the user's own provider.
  ///
  /// A different provider does not have the user's secrets.
  private var remedy: String {
    if environment.desktopBus != nil { return environment.starting }
    if environment.privateKeyring == nil, let other = UsualProvider(environment).remedy { return other }
    if environment.privateKeyring == nil,
      environment.variable("XDG_CURRENT_DESKTOP")?.contains("KDE") == true
    {
      return "Turn on the KDE wallet subsystem in the system settings, under KDE Wallet."
    }
    return environment.starting
  }
}
