// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that secrets are encrypted on the bus.
struct EncryptionCheck: Sendable {
  let client: SecretServiceClient
  let program: ProviderProgram?
  let environment: DiagnosticEnvironment

  static let name = "encryption"

  func run() async throws -> CheckResult {
    do {
      guard try await client.connection().isEncrypted else {
        return .warning("Secrets travel unencrypted on the bus, which this app allows.", remedy: remedy)
      }
      return .ok("Sessions are encrypted.")
    } catch let error as SecretStoreError where error.code == .insecureTransport {
      return .error(.insecureTransport, error.detail, remedy: remedy)
    } catch let error as SecretStoreError where (error.underlying as? BusError)?.meaning == .noSuchObject {
      return noSecretService(error)
    }
  }

  /// The result when a program has the name of the Secret Service and does not know its calls.
  private func noSecretService(_ error: SecretStoreError) -> CheckResult {
    guard let program else {
      return .error(error.code, error.detail, remedy: "End that program, and run sso-cache doctor again.")
    }
    let start = UsualProvider(environment).remedy
    return .error(
      error.code, "\(error.detail) It is \(program.name), process \(program.process).",
      remedy: start.map { "kill \(program.process), and then: \($0)" }
        ?? environment.endingDaemon(program.process))
  }

  private var remedy: String {
    program?.encryptionPackage.map { "sudo apt install \($0)" }
      ?? "Let gnome-keyring, KWallet or KeePassXC be your Secret Service in the place of this program."
  }
}
