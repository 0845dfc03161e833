// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import SecretStoreCache

/// An app of another publisher that tries to read Contoso's accounts.
@main
struct Fabrikam: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fabrikam", abstract: "Another publisher's app, which does not list Contoso's access group.",
    subcommands: [Claim.self, Open.self, Peek.self], defaultSubcommand: Open.self)

  /// Contoso's group.
  static let wanted = "com.contoso.shared"

  /// Returns the app's entitlements from the `entitlements.plist` beside this file.
  static func entitlements() throws(SecretStoreError) -> AppEntitlements {
    try AppEntitlements(propertyList: Data(PackageResources.entitlements_plist))
  }
}
