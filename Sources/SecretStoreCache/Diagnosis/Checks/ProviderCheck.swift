// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Which program is the Secret Service, and whether it answers.
struct ProviderCheck: Sendable {
  let surroundings: Surroundings
  let bus: SessionBus

  static let name = "provider"

  /// - Returns: The finding, and the program where it is known.
  func find() async -> (Finding, ProviderProgram?) {
    let program = await program()
    do {
      try await bus.ping(ServiceHandle.busName, path: .service)
    } catch let error as BusError where error.name == BusError.accessDenied {
      return (refused, program)
    } catch let error as BusError where error.meaning == .noSuchObject {
      // It answers, which is all that was asked.
    } catch {
      if ((error as? BusError)?.storeError ?? error as? SecretStoreError)?.code == .timedOut {
        return (silent(program), program)
      }
      return (notStarted(error), program)
    }
    let found = if let program { program } else { await self.program() }
    guard let found else { return (.ok("A Secret Service answers; which program it is can't be seen."), nil) }
    let version = await found.version()
    return (
      .ok("\(found.name) \(version ?? "of a version that it does not tell"), process \(found.process)."),
      found
    )
  }

  private func program() async -> ProviderProgram? {
    guard surroundings.sandbox == nil, let process = try? await bus.process(ofOwner: ServiceHandle.busName)
    else { return nil }
    return ProviderProgram(process: process)
  }

  private var refused: Finding {
    .error(
      .serviceUnavailable, "The bus does not let this program talk to the Secret Service.",
      remedy: SandboxCheck(surroundings: surroundings).permissionRemedy
        ?? "Allow it org.freedesktop.secrets in the policy of the bus or of the sandbox.")
  }

  private func silent(_ program: ProviderProgram?) -> Finding {
    guard let program else {
      return .error(
        .timedOut, "The Secret Service does not answer.", remedy: GeneralRemedy.restartProvider)
    }
    return program.isStopped
      ? .error(
        .timedOut, "\(program.name) is stopped, and does not answer.", remedy: "kill -CONT \(program.process)"
      )
      : .error(.timedOut, "\(program.name) does not answer.", remedy: "kill -KILL \(program.process)")
  }

  private func notStarted(_ error: any Error) -> Finding {
    let name = (error as? BusError)?.description
    return .error(
      .serviceUnavailable,
      "D-Bus could not start the Secret Service\(name.map { " (\($0))" } ?? "").",
      remedy: surroundings.starting)
  }
}
