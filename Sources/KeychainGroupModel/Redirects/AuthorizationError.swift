// SPDX-License-Identifier: MIT

/// What the provider says when a sign-in comes to nothing (RFC 6749 section 4.1.2.1, OpenID Connect Core 1.0
/// section 3.1.2.6).
///
/// It is the `underlying` error of the `SecretStoreError` that the sign-in ends in. The provider's own
/// sentence, `error_description`, is left out: anything could be in it.
public struct AuthorizationError: Error, Hashable, Sendable {
  /// The error's code, such as `access_denied`; `unknown` when what stood there is none.
  public let code: String

  /// - Parameter text: What the provider sent.
  init(_ text: String) {
    let isCode = !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy(IdentifierRule.isAllowed)
    code = isCode ? text : "unknown"
  }

  /// The error as callers get it: `promptDismissed` when somebody said no, `interactionRequired` when the
  /// provider wants to ask somebody, else `serverError`.
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
