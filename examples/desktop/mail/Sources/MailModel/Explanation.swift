// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// What an error means to the user.
public enum Explanation {
  /// Returns a sentence about an error.
  public static func of(_ error: any Error) -> String {
    guard let error = error as? SecretStoreError else { return sentence("\(error)") }
    switch error.code {
    case .networkError: return "The server can't be reached."
    case .promptDismissed: return "The sign-in was declined."
    case .declinedScopes: return "The server grants less than Contoso Mail needs."
    case .groupLocked: return "The keyring is locked."
    case .timedOut, .lockTimedOut: return "The keyring did not reply in time."
    case .serviceUnavailable: return "This desktop session has no keyring."
    default: return sentence(error.errorDescription ?? "")
    }
  }

  /// Returns a sentence about what the app's set-up lacks, for who installs it.
  public static func ofSetUp(_ error: SecretStoreError) -> String { sentence(error.detail) }

  /// Whether an error is the user's own doing: they closed the dialog, or gave up.
  public static func isDismissal(_ error: any Error) -> Bool {
    error is CancellationError || (error as? SecretStoreError)?.code == .promptDismissed
  }

  private static func sentence(_ text: String) -> String {
    let line = DisplayText.line(text)
    guard let first = line.first else { return "Something went wrong." }
    return first.uppercased() + line.dropFirst() + (line.hasSuffix(".") ? "" : ".")
  }
}
