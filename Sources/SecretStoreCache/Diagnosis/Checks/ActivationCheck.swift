// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether a Secret Service runs, or the bus would start one.
struct ActivationCheck: Sendable {
  let surroundings: Surroundings
  let bus: SessionBus

  static let name = "activation"

  func find() async throws -> Finding {
    let isRunning = try await bus.hasOwner(ServiceHandle.busName)
    if try await bus.activatableNames().contains(ServiceHandle.busName) {
      return .ok(isRunning ? "A Secret Service runs." : "D-Bus starts a Secret Service when one is needed.")
    }
    if isRunning { return .ok("A Secret Service runs; D-Bus would not start one by itself.") }
    return .error(
      .serviceUnavailable, "No program on the session bus is a Secret Service, and D-Bus can't start one.",
      remedy: remedy)
  }

  private var remedy: String {
    if surroundings.runsKeyring == nil, surroundings.variable("XDG_CURRENT_DESKTOP")?.contains("KDE") == true
    {
      return "Turn on the KDE wallet subsystem in the system settings, under KDE Wallet."
    }
    return surroundings.starting
  }
}
