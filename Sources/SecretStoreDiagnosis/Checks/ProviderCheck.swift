// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that identifies the Secret Service provider and tests that it replies.
struct ProviderCheck: Sendable {
  let environment: DiagnosticEnvironment
  let bus: SessionBus

  static let name = "provider"

  /// - Returns: The check result, and the provider's program when it is known.
  func run() async -> (CheckResult, ProviderProgram?) {
    let program = await program()
    if let program, let waiting = waiting(program) { return (waiting, program) }
    // Asked before the ping, which makes D-Bus start a provider and may use up the time of this check.
    let wasRunning = (try? await bus.hasOwner(ServiceHandle.busName)) != false
    do {
      try await bus.ping(ServiceHandle.busName, path: .service)
    } catch let error as BusError where error.name == BusError.accessDenied {
      return (accessDenied, program)
    } catch let error as BusError where error.meaning == .noSuchObject {
      // An error reply is enough: it shows that the service is running.
    } catch {
      if ((error as? BusError)?.storeError ?? error as? SecretStoreError)?.code == .timedOut {
        if wasRunning { return (silent(program), program) }
        return (ActivationCheck.blocked(environment) ?? notArrived, nil)
      }
      return (ActivationCheck.blocked(environment) ?? notStarted(error), program)
    }
    let found = if let program { program } else { await self.program() }
    guard let found else { return (.ok("A Secret Service replies; which program it is can't be seen."), nil) }
    let version = await found.version()
    return (
      .ok("\(found.name) \(version ?? "of a version that it does not state"), process \(found.process)."),
      found
    )
  }

  private func program() async -> ProviderProgram? {
    guard environment.sandbox == nil, let process = try? await bus.process(ofOwner: ServiceHandle.busName)
    else { return nil }
    return ProviderProgram(process: process)
  }

  private var accessDenied: CheckResult {
    .error(
      .serviceUnavailable, "The bus does not let this program talk to the Secret Service.",
      remedy: SandboxCheck(environment: environment).permissionRemedy
        ?? "Allow it org.freedesktop.secrets in the policy of the bus or of the sandbox.")
  }

  private var notArrived: CheckResult {
    .error(
      .serviceUnavailable,
      "D-Bus started a program that did not register as the Secret Service; see the file of"
        + " org.freedesktop.secrets in dbus-1/services.", remedy: environment.starting)
  }

  private func silent(_ program: ProviderProgram?) -> CheckResult {
    guard let program else {
      return .error(
        .timedOut, "The Secret Service does not reply.", remedy: GeneralRemedy.restartProvider)
    }
    return program.isStopped
      ? .error(
        .timedOut, "\(program.name) is stopped, and does not reply.",
        remedy: GeneralRemedy.ending(program.process))
      : .error(.timedOut, "\(program.name) does not reply.", remedy: "kill -KILL \(program.process)")
  }

  /// Returns the result for gnome-keyring with a file that has it wait, at the latest when it looks at the folder
  /// again; otherwise `nil`.
  private func waiting(_ program: ProviderProgram) -> CheckResult? {
    guard program.name == ProviderProgram.gnomeKeyring else { return nil }
    let files = KeyringFiles(of: SystemProcess(program.process), environment: environment.variables)
    guard let fifo = files.endlessFile else { return nil }
    return .error(
      .timedOut, "\(fifo.path) keeps the keyring daemon from its work: \(fifo.reason).", remedy: fifo.remedy)
  }

  private func notStarted(_ error: any Error) -> CheckResult {
    let name = (error as? BusError)?.description
    return .error(
      .serviceUnavailable,
      "D-Bus could not start the Secret Service\(name.map { " (\($0))" } ?? "").",
      remedy: environment.starting)
  }
}
