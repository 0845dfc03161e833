// SPDX-License-Identifier: MIT

/// What went wrong, said so that a program can decide what to do next.
///
/// Three outcomes are kept apart everywhere in this package: *absent* is `nil` and only that, *cancelled* is
/// `CancellationError`, and everything else is a `SecretStoreError`.
///
/// ```swift
/// do {
///   let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
///   use(result.accessToken)
/// } catch let error as SecretStoreError where error.code == .interactionRequired {
///   try await signIn()
/// }
/// ```
///
/// No error holds a token, a user name or an item's content: `detail` is safe to log and to show.
public struct SecretStoreError: Error, Sendable {
  /// What kind of failure this is; decide by this, never by the text.
  public let code: Code

  /// One sentence for a person, without any secret.
  public let detail: String

  /// The error beneath, when there is one: a D-Bus or system error, or the server's OAuth error.
  public let underlying: (any Error)?

  /// Makes an error; back ends of your own throw these too.
  ///
  /// - Parameters:
  ///   - code: What kind of failure this is.
  ///   - detail: One sentence for a person. It must hold no secret.
  ///   - underlying: The error beneath, if any.
  public init(_ code: Code, _ detail: String, underlying: (any Error)? = nil) {
    self.code = code
    self.detail = detail
    self.underlying = underlying
  }
}

extension SecretStoreError {
  /// The code, the sentence, what the error beneath is, and whether `sso-cache doctor` can tell what is amiss.
  ///
  /// An error that is not this package's is named by its type alone: nobody knows what its text holds.
  public var description: String {
    let advice = code.isDiagnosable ? " Run sso-cache doctor to see what is amiss." : ""
    guard let underlying else { return "\(code): \(detail)\(advice)" }
    let beneath = (underlying as? any PublishableError)?.description ?? "\(type(of: underlying))"
    return "\(code): \(detail) (\(beneath))\(advice)"
  }
}

extension SecretStoreError: PublishableError {}

extension SecretStoreError: Equatable {
  /// Two errors are equal when their codes are: tests and handlers decide by code.
  public static func == (left: SecretStoreError, right: SecretStoreError) -> Bool {
    left.code == right.code
  }
}
