// SPDX-License-Identifier: MIT

/// Why a sign-in in the browser came to nothing.
///
/// Everything that the token cache and the token endpoint have to say is a `SecretStoreError` instead.
public enum SignInError: Error, Hashable, Sendable {
  /// The provider, or the person at it, said no (RFC 6749 section 4.1.2.1).
  case refused(error: String, description: String?)
  /// The answer is not one to our question; the reason names the check that failed.
  case untrusted(reason: String)
  /// Nobody answered in time.
  case timedOut
  /// No browser could be opened, or it ended with an error.
  case noBrowser(reason: String)
  /// The redirect URI's port can't be listened on; another sign-in may be under way.
  case cannotListen(port: UInt16)
  /// Another sign-in of the app waits for its answer.
  case alreadyWaiting
  /// The user has no runtime directory, or nothing can be made in it.
  case noMailbox
  /// A URL was opened, and no sign-in of the app is under way.
  case notExpected
}

extension SignInError: CustomStringConvertible {
  /// One sentence for a person.
  public var description: String {
    switch self {
    case .refused(let error, let description): "the provider refused: \(description ?? error) (\(error))"
    case .untrusted(let reason): "the provider's answer is not to be trusted: \(reason)"
    case .timedOut: "nobody signed in in time"
    case .noBrowser(let reason): "no browser could be opened: \(reason)"
    case .cannotListen(let port): "port \(port) of the redirect URI is in use"
    case .alreadyWaiting: "another sign-in is under way"
    case .noMailbox: "there is no runtime directory to wait in for the answer"
    case .notExpected: "a URL was opened, and no sign-in is under way"
    }
  }
}
