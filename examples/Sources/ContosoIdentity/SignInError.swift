// SPDX-License-Identifier: MIT

/// The reason why a sign-in in the browser failed.
///
/// Errors of the token cache and the token endpoint are `SecretStoreError`s instead.
public enum SignInError: Error, Hashable, Sendable {
  /// The provider or the user refused (RFC 6749 section 4.1.2.1).
  case refused(error: String, description: String?)
  /// The response does not belong to the request.
  ///
  /// The reason names the failed check.
  case untrusted(reason: String)
  /// The user did not sign in in time.
  case timedOut
  /// No browser could be opened, or it ended with an error.
  case noBrowser(reason: String)
  /// The port of the redirect URI is in use, possibly by another sign-in.
  case cannotListen(port: UInt16)
}

extension SignInError: CustomStringConvertible {
  /// The error message, in one sentence.
  public var description: String {
    switch self {
    case .refused(let error, let description): "the provider refused: \(description ?? error) (\(error))"
    case .untrusted(let reason): "the provider's response can't be trusted: \(reason)"
    case .timedOut: "nobody signed in in time"
    case .noBrowser(let reason): "no browser could be opened: \(reason)"
    case .cannotListen(let port): "port \(port) of the redirect URI is in use"
    }
  }
}
