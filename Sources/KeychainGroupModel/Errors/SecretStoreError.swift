// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// A failure, with a code by which a program decides what to do next.
///
/// This package keeps three outcomes apart everywhere: an *absent* value is `nil`, and `nil` means nothing else. A
/// *cancelled* call throws `CancellationError`. Every other failure is a `SecretStoreError`.
///
/// ```swift
/// import TokenCacheModel
///
/// do {
///   let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
///   use(result.accessToken)
/// } catch SecretStoreError.Code.interactionRequired {
///   try await signIn()
/// }
/// ```
///
/// ``errorDescription`` is a sentence for the person who uses the app, ``description`` is for the log. No error holds a
/// token, a user name or the content of an item.
public struct SecretStoreError: Error, Sendable {
  /// The kind of failure.
  ///
  /// Decide by this code, never by the text.
  public let code: Code

  /// One sentence for the log and for developers, without any secret.
  public let detail: String

  /// The underlying error, if any: a D-Bus error, a system error, or the server's OAuth error.
  public let underlying: (any Error)?

  /// The ID of the silent call or the sign-in that failed, which is also in the log and in the headers of the requests
  /// that the cache sent; `nil` for an error of another call.
  public package(set) var correlationID: UUID?

  /// Creates an error.
  ///
  /// Custom back ends throw these errors too.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - detail: One sentence for the log and for developers. It must not hold a secret.
  ///   - underlying: The underlying error, if any.
  public init(_ code: Code, _ detail: String, underlying: (any Error)? = nil) {
    self.code = code
    self.detail = detail
    self.underlying = underlying
  }
}

extension SecretStoreError {
  /// The code, the detail and the underlying error, with a hint to run `sso-cache doctor` where that helps; for the
  /// log.
  ///
  /// An underlying error of another package appears as its type name only, because its text might hold a secret.
  public var description: String {
    let advice = code.isDiagnosable ? " Run sso-cache doctor to find the cause." : ""
    guard let underlying else { return "\(code): \(detail)\(advice)" }
    let cause = (underlying as? any PublishableError)?.description ?? "\(type(of: underlying))"
    return "\(code): \(detail) (\(cause))\(advice)"
  }
}

extension SecretStoreError: PublishableError {}

extension SecretStoreError: Equatable {
  /// Returns whether the codes of two errors are equal, because tests and error handlers decide by code.
  public static func == (left: SecretStoreError, right: SecretStoreError) -> Bool {
    left.code == right.code
  }
}

/// An error whose description holds no secret and may appear in the description of another error.
package protocol PublishableError: Error, CustomStringConvertible {}
