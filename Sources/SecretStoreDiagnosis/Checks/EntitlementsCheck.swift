// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// A check that an entitlements property list can be parsed.
struct EntitlementsCheck: Sendable {
  let propertyList: Data

  static let name = "entitlements"

  /// Returns the result for an app's entitlements.
  static func result(for app: AppEntitlements) -> CheckResult {
    let publisher = app.publisher.map { "of the publisher \($0)" } ?? "of no publisher"
    let groups = app.groups.isEmpty ? "its own group" : app.groups.map(\.name).joined(separator: " ")
    return .ok("\(app.app), \(publisher), may use \(groups).")
  }

  /// - Returns: The check result, and the app's entitlements; `nil` for the latter when the list can't be parsed.
  func run() -> (CheckResult, AppEntitlements?) {
    do throws(SecretStoreError) {
      let app = try AppEntitlements(propertyList: propertyList)
      return (Self.result(for: app), app)
    } catch {
      return (
        .error(
          error.code, error.detail,
          remedy: "Correct the property list; sso-cache apps init APP writes one to compare it with."), nil
      )
    }
  }
}
