// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command that lists the accounts of a group with the same name as Contoso's under Fabrikam's own publisher.
///
/// This is a different group without accounts.
struct Peek: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look into a group of the same name as Contoso's.")

  func run() async throws {
    let own = try Fabrikam.entitlements()
    let app = try AppEntitlements(
      app: own.app.name, publisher: own.publisher?.name, groups: [Fabrikam.wanted])
    let backend = try SecretStore().backend(for: app, group: Fabrikam.wanted)
    let accounts = try await AccountDirectory(backend: backend).accounts()
    let group = try app.group(Fabrikam.wanted)
    print("Fabrikam: \(group) holds \(accounts.count) accounts; Contoso's group is another one")
  }
}
