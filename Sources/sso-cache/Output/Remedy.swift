// SPDX-License-Identifier: MIT

import SecretStoreCache

/// What a person can do about an error.
enum Remedy {
  private static let doctor = "sso-cache doctor says what is amiss."

  static func text(for code: SecretStoreError.Code) -> String {
    switch code {
    case .interactionRequired: "Sign in with one of the group's apps."
    case .declinedScopes: "Ask for the scopes that were granted, or sign in again and consent."
    case .ambiguousAccount: "Name the account by its identifier; sso-cache accounts shows them."
    case .notEntitled: "Add the group to the app's keychain-access-groups. \(doctor)"
    case .identityMismatch: "Start the app by its own .desktop file, or give it the id of its sandbox."
    case .groupLocked:
      "Unlock your keyring: sign in to the desktop with your password, or run sso-cache group unlock --prompt."
        + " \(doctor)"
    case .groupUnrecoverable:
      "If you gave its keyring a password yourself, run sso-cache group unlock --prompt;"
        + " else make the group anew with sso-cache group reset, and sign in again. \(doctor)"
    case .serviceUnavailable:
      "Start gnome-keyring, KWallet or KeePassXC in your desktop session;"
        + " when it has no keyring yet, run sso-cache group create --prompt. \(doctor)"
    case .insecureTransport:
      "Install the provider's encryption support; KWallet needs Qt's qca plugin. \(doctor)"
    case .timedOut, .leaseTimedOut: "Try again; if it stays so, restart the keyring daemon. \(doctor)"
    case .networkError, .serverError: "Check the connection and the authority, and try again."
    case .storageFailed: "Check that your home and runtime directories can be written. \(doctor)"
    case .corruptItem: doctor
    default: ""
    }
  }
}
