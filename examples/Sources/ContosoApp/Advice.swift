// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import SecretStoreCache

/// An error as an app shows it to the person who uses it, with a remedy and the exit status.
///
/// The error's `description` is for the log: it names codes, groups and programs.
struct Advice: CustomStringConvertible {
  let description: String
  let status: ExitCode

  init<App: SuiteApp>(_ error: any Error, for app: App.Type) {
    guard let error = error as? SecretStoreError else {
      self.description = "\(error)"
      self.status = .failure
      return
    }
    let remedy = Self.remedy(error, app.command)
    self.description = error.localizedDescription + (remedy.map { "\n  \($0)" } ?? "")
    self.status =
      switch error.code {
      case .interactionRequired: ExitCode(10)
      case .notEntitled: ExitCode(77)
      default: .failure
      }
  }

  private static func remedy(_ error: SecretStoreError, _ command: String) -> String? {
    switch error.code {
    case .interactionRequired: "Sign in: \(command) sign-in"
    case .notEntitled: "List the group under keychain-access-groups in the app's entitlements.plist."
    case .ambiguousAccount: "Name the account: --account USERNAME"
    case .groupLocked: "Unlock the login keyring, and try again."
    case .groupUnrecoverable: "Find the way out: sso-cache doctor"
    case .serviceUnavailable: "Start a Secret Service, such as gnome-keyring-daemon, in your desktop session."
    case .invalidRedirectURI: error.detail
    case .networkError: "Check the network connection and the issuer's address."
    default: nil
    }
  }
}
