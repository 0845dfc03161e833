// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import SecretStoreCache

/// The command that claims to be of Contoso's, and lists the accounts of Contoso's group.
///
/// Outside of a sandbox nothing prevents that. In a Flatpak the agent refuses it.
struct Claim: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Claim Contoso's publisher, and list the accounts of its group.")

  func run() async throws {
    do {
      let app = try AppEntitlements(
        app: Fabrikam.entitlements().app.name, publisher: "com.contoso", groups: [Fabrikam.wanted])
      let backend = try SecretStore().backend(for: app, group: Fabrikam.wanted)
      let accounts = try await AccountDirectory(backend: backend).accounts()
      print("Fabrikam: sees \(accounts.map(\.username).joined(separator: ", "))")
    } catch let error as SecretStoreError {
      FileHandle.standardError.write(Data("Fabrikam: \(error)\n".utf8))
      throw ExitCode(error.code == .notEntitled ? 77 : 1)
    }
  }
}
