// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// Whether an entitlements property list can be read, and what it lists.
struct EntitlementsCheck: Sendable {
  let propertyList: Data

  static let name = "entitlements"

  /// - Returns: The finding, and what the app may use.
  func find() -> (Finding, AppEntitlements?) {
    do throws(SecretStoreError) {
      let app = try AppEntitlements(propertyList: propertyList)
      let publisher = app.publisher.map { "of the publisher \($0)" } ?? "of no publisher"
      return (.ok("\(app.app), \(publisher), may use \(app.groups.map(\.name).joined(separator: " "))."), app)
    } catch {
      return (
        .error(
          error.code, error.detail,
          remedy: "Correct the property list; sso-cache apps init APP writes one to compare it with."), nil
      )
    }
  }
}
