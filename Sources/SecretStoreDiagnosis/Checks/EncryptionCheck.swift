// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that secrets are encrypted on the bus.
struct EncryptionCheck: Sendable {
  let client: SecretServiceClient
  let program: ProviderProgram?

  static let name = "encryption"

  func run() async throws -> CheckResult {
    do {
      guard try await client.connection().isEncrypted else {
        return .warning("Secrets travel unencrypted on the bus, which this app allows.", remedy: remedy)
      }
      return .ok("Sessions are encrypted.")
    } catch let error as SecretStoreError where error.code == .insecureTransport {
      return .error(.insecureTransport, error.detail, remedy: remedy)
    }
  }

  private var remedy: String {
    program?.encryptionPackage.map { "sudo apt install \($0)" }
      ?? "Let gnome-keyring, KWallet or KeePassXC be your Secret Service in the place of this program."
  }
}
