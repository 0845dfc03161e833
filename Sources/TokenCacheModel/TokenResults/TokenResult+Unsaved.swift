// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import UnifiedCache

extension TokenResult {
  /// A response to a sign-in or a refresh that could not be saved, and has no token for the call either.
  ///
  /// It is the underlying error of the `SecretStoreError` that the call throws. The description shows no token.
  public struct Unsaved: Error, Sendable, PublishableError, CustomStringConvertible {
    /// The error that prevented the save.
    public let saveError: SecretStoreError
    /// The response, which may have the only copy of its refresh token.
    ///
    /// Pass it to ``TokenCache/save(_:scopes:authority:claims:keyID:)`` once the error's cause is mended.
    public let response: TokenResponse
    /// Whether the group has the response's refresh token all the same, as far as is known.
    var keepsRefreshToken = false

    /// Whether the response has a refresh token that the group lacks.
    package var losesRefreshToken: Bool { response.refreshToken != nil && !keepsRefreshToken }

    /// The error of the save.
    public var description: String { "not saved: \(saveError)" }

    /// Returns an error with the response as its underlying error, unless the response was saved.
    static func attached(
      _ response: TokenResponse, _ saveError: SecretStoreError?, keepsRefreshToken: Bool = false,
      to error: SecretStoreError
    ) -> SecretStoreError {
      guard let saveError else { return error }
      let unsaved = Unsaved(saveError: saveError, response: response, keepsRefreshToken: keepsRefreshToken)
      return SecretStoreError(error.code, error.detail, underlying: unsaved)
    }

    /// Returns the error for a response without an access token.
    package static func noAccessToken(
      _ response: TokenResponse, _ saveError: SecretStoreError?, keepsRefreshToken: Bool = false
    ) -> SecretStoreError {
      attached(
        response, saveError, keepsRefreshToken: keepsRefreshToken,
        to: SecretStoreError(.serverError, "The token endpoint's response has no access token."))
    }
  }
}

extension TokenResult {
  /// The response that could not be saved; `nil` when there is none.
  package var unsaved: Unsaved? {
    guard let saveError, let response else { return nil }
    return Unsaved(saveError: saveError, response: response, keepsRefreshToken: keepsRefreshToken)
  }
}

extension SecretStoreError {
  /// The response that could not be saved before a call threw this error; `nil` when there is none.
  package var unsaved: TokenResult.Unsaved? {
    if let scopes = underlying as? DeclinedScopes { return scopes.result?.unsaved }
    return underlying as? TokenResult.Unsaved
  }
}

extension TokenResult.Unsaved: CustomReflectable {
  /// A mirror that shows the error of the save only.
  public var customMirror: Mirror { Mirror(self, children: ["saveError": saveError]) }
}
