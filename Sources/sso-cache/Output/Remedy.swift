// SPDX-License-Identifier: MIT

import SecretStoreCache
import SecretStoreDiagnosis

/// The remedies for errors by their codes.
enum Remedy {
  /// Returns the remedy for an account's name that several have: the options that name each of them.
  static func choosing(among accounts: AmbiguousAccounts) -> String {
    // With an equals sign a name may begin with a hyphen.
    let options = accounts.choices.map {
      "--account=\(ShellWord.quoted($0.name)) --environment=\(ShellWord.quoted($0.environment))"
    }
    return "Run it again with \(options.joined(separator: ", or with ")), in place of this --account."
  }

  /// Returns the remedy for what can't be read and may be the account's that was signed out.
  static func removingDamaged(of group: AccessGroup?, isOfSecret: Bool) -> String {
    func command(_ name: String) -> String { group.map { ToolCommand.on($0, name) } ?? "sso-cache \(name)" }
    let remove = "\(command("damaged")) lists it, and \(command("damaged remove ID")) removes it"
    return isOfSecret ? "\(remove)." : "\(remove); \(command("sign-out --whole-group")) removes everything."
  }

  /// Returns the remedy for an error code.
  ///
  /// - Parameter group: The group of the command; `nil` when it concerns none or several.
  static func text(for code: SecretStoreError.Code, of group: AccessGroup? = nil) -> String {
    func command(_ name: String) -> String {
      if let group { return ToolCommand.on(group, name) }
      return "sso-cache \(name)"
        + (Invocation.concernsSeveralGroups
          ? " (with --group and --publisher of the group in the error)" : "")
    }
    let doctor = "\(command("doctor")) shows the problem."
    return switch code {
    case .interactionRequired: "Sign in with one of the group's apps."
    case .declinedScopes: "Ask for the scopes that were granted, or sign in again and consent."
    case .protectionPolicyRequired:
      "Ask the organization's administrator which apps and devices its app protection policy accepts."
    case .ambiguousAccount:
      "Name the account by its identifier and its environment; \(command("accounts")) shows them."
    case .notEntitled:
      "The app's publisher must list the group in the app's entitlements, and the declaration must be accepted."
        + " \(doctor)"
    case .identityMismatch: "Start the app by its own .desktop file."
    case .groupLocked:
      "Unlock your keyring: sign in to the desktop with your password, or run \(command("group unlock --prompt"))."
        + " \(doctor)"
    case .promptDismissed:
      "Answer the dialog. \(doctor)"
    case .groupUnrecoverable:
      "If you know its keyring's password, run \(command("group unlock --prompt")); if you have a backup of the login"
        + " keyring, copy it beside the present one as login-backup.keyring, \(NewLogin.words), and run that command"
        + " and then \(command("doctor --fix"));"
        + " else reset the group with \(command("group reset")), and sign in again. \(doctor)"
    case .serviceUnavailable:
      "Start gnome-keyring, KWallet or KeePassXC in your desktop session;"
        + " when it has no keyring yet, run \(command("group create --prompt")). \(doctor)"
    case .insecureTransport:
      "Install the provider's encryption support; KWallet needs Qt's qca plugin. \(doctor)"
    case .timedOut: "Try again; if it stays so, \(command("doctor")) shows what does not reply."
    case .lockTimedOut: "Try again; if it stays so, end the program that holds the lock. \(doctor)"
    case .networkError, .serverError: "Check the connection and the authority, and try again."
    case .storageFailed: "Check that your home and runtime directories can be written. \(doctor)"
    case .corruptItem: doctor
    default: ""
    }
  }
}
