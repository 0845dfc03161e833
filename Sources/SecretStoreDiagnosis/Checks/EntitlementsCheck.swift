// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The result for an app's entitlements: whether they were read, and with which apps the app shares its sign-in.
enum EntitlementsCheck {
  static let name = "entitlements"

  /// Returns the result for an app's entitlements.
  static func result(for app: AppEntitlements) -> CheckResult {
    let publisher = app.publisher.map { "of the publisher \($0)" } ?? "of no publisher"
    let groups = app.groups.isEmpty ? "its own group" : app.groups.map(\.name).joined(separator: " ")
    let detail = "\(app.app), \(publisher), may use \(groups)."
    if app.unknowinglySharesNothing {
      return .warning(
        "\(detail) Unless it chooses another group, its sign-in is in its own, which it shares with no app.",
        remedy:
          "List \(AppEntitlements.defaultKeychainSharingGroup) or the group of the app's suite first, or choose one"
          + " by choosing(keychainSharingGroup:).")
    }
    guard let shared = sharedWithoutPublisher(by: app) else { return .ok(detail) }
    return .warning(
      "\(detail) \(shared)",
      remedy:
        "Name the publisher: in X-KeychainPublisher of the .desktop file, or before the groups of the property list."
        + " What is in the groups stays where it is; sso-cache group copy copies it.")
  }

  /// Returns a sentence on the groups that the app shares with any app without a publisher; `nil` when there is none.
  static func sharedWithoutPublisher(by app: AppEntitlements) -> String? {
    guard app.publisher == nil, app.groups.contains(where: { $0 != app.ownGroup }) else { return nil }
    return "It names no publisher: any app that names none and lists such a group shares it."
  }

  /// Returns the result for an app's entitlements, or for the error of their property list.
  static func result(of app: Result<AppEntitlements, SecretStoreError>) -> CheckResult {
    switch app {
    case .success(let app): result(for: app)
    case .failure(let error):
      .error(
        error.code, error.detail,
        remedy: "Correct the property list; sso-cache apps init APP writes one to compare it with.")
    }
  }
}
