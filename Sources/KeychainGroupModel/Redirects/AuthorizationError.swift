// SPDX-License-Identifier: MIT

/// The error code of an authorization error response.
///
/// RFC 6749 section 4.1.2.1 and OpenID Connect Core 1.0 section 3.1.2.6 define the codes. This is the `underlying`
/// error of the `SecretStoreError` that ends the sign-in. It leaves out `error_description`, whose text could hold
/// anything.
public struct AuthorizationError: Error, Hashable, Sendable {
  /// The error code, such as `access_denied`, or `unknown` when the provider sent no valid code.
  public let code: String

  /// Creates an error from the `error` parameter.
  ///
  /// - Parameter text: The parameter's value.
  init(_ text: String) {
    let isCode = !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy(IdentifierRule.isAllowed)
    code = isCode ? text : "unknown"
  }

  /// The error that callers receive.
  ///
  /// It is `promptDismissed` when the user cancelled or denied the sign-in, `interactionRequired` when the provider
  /// must interact with the user, and `serverError` otherwise.
  var error: SecretStoreError {
    switch code {
    case "access_denied":
      SecretStoreError(.promptDismissed, "The sign-in was cancelled or refused: \(code).", underlying: self)
    case "interaction_required", "login_required", "consent_required", "account_selection_required":
      SecretStoreError(
        .interactionRequired, "The provider has to ask somebody before it signs in: \(code).",
        underlying: self)
    default:
      SecretStoreError(.serverError, "The provider refused the sign-in: \(code).", underlying: self)
    }
  }
}

extension AuthorizationError: PublishableError {
  /// The code.
  public var description: String { code }
}
