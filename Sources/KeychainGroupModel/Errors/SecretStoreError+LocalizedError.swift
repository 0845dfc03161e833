// SPDX-License-Identifier: MIT

public import FoundationEssentials

extension SecretStoreError: LocalizedError {
  /// A sentence for the person who uses the app, in English.
  ///
  /// It depends on the code only, and names no group, file or program.
  /// `localizedDescription` returns it, too. ``description`` is for the log. To translate the text, decide by ``code``.
  public var errorDescription: String? { code.personText }
}

extension SecretStoreError.Code {
  fileprivate var personText: String {
    switch self {
    case .interactionRequired: "You need to sign in again."
    case .declinedScopes: "The app did not get all the permissions that it asked for."
    case .protectionPolicyRequired: "Your organization does not allow this app on this device."
    case .notEntitled: "This app may not use the saved accounts."
    case .identityMismatch: "This app is not the one that it claims to be."
    case .groupLocked: "Your keyring is locked. Unlock it, and try again."
    case .groupUnrecoverable: "The saved accounts can't be unlocked any more."
    case .interactiveSessionAlreadyRunning: "Another sign-in is under way. Finish or cancel it first."
    case .promptDismissed: "The request was cancelled, or nobody answered it in time."
    case .serviceUnavailable: "No keyring is running, so accounts can't be read or saved."
    case .insecureTransport:
      "Your keyring does not encrypt what it sends, so accounts can't be read or saved."
    case .timedOut: "Your keyring did not respond in time. Try again."
    case .lockTimedOut: "Another app used the saved accounts for too long. Try again."
    case .ambiguousAccount: "Several accounts match. Choose one of them."
    case .accountMismatch: "You signed in to another account."
    case .networkError: "The sign-in server can't be reached. Check your connection, and try again."
    case .serverError: "The sign-in server reported an error. Try again later."
    case .invalidResponse, .missingClientInfo: "The sign-in server's response can't be used."
    case .invalidRedirectURI:
      "The app could not receive the sign-in. Sign in again, or install the app again."
    case .invalidArgument: "The app asked for something that is not possible."
    case .corruptItem: "A saved account or secret can't be read."
    case .invalidFile: "The file can't be read."
    case .conflict: "Another secret is already saved under this name."
    default: "The saved accounts can't be read or changed."
    }
  }
}
