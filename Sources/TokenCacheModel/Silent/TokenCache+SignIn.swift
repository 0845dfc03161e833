// SPDX-License-Identifier: MIT

public import FoundationEssentials
import KeychainGroupModel
public import UnifiedCache

extension TokenCache {
  /// Saves the token response to an interactive sign-in and returns its token, as a silent call would.
  ///
  /// The response is saved as by ``save(_:scopes:authority:claims:keyID:)``, even if the task is cancelled. A failed
  /// save does not lose the token.
  ///
  /// - Parameters:
  ///   - response: The token response.
  ///   - scopes: The requested scopes, which count as granted if the response names none.
  ///   - authority: The authority that issued the response; the cache's own when `nil`.
  ///   - claims: The resource's challenge that led to the sign-in, as JSON, without the client's capabilities.
  ///   - keyID: The key that the access token is bound to, if its scheme is not `Bearer`.
  ///   - expected: The account that the user was asked to sign in to; `nil` for any.
  ///   - id: The ID of the call in the log, in its result and in its error, such as the `client-request-id` of your
  ///     request; `nil` for a new one.
  /// - Returns: The token and its account. Its `saveError` is set when the response could not be saved.
  /// - Throws: `declinedScopes` when the server granted less than the requested scopes; the account and what was granted
  ///   are in the cache, and in the ``DeclinedScopes/result`` of its `declinedScopes`. `accountMismatch` when the user signed in to another
  ///   account, and nothing is saved. `missingClientInfo` or `invalidResponse` for a response that does not name its
  ///   account; nothing is saved. `serverError` for a response without an access token; the rest of it is saved.
  public func acquireToken(
    from response: TokenResponse, scopes: Scopes, authority: Authority? = nil, claims: String? = nil,
    keyID: String? = nil, account expected: Account? = nil, correlationID id: UUID? = nil
  ) async throws -> TokenResult {
    let (correlationID, start) = (id ?? CorrelationID.next(), ContinuousClock.now)
    let task = Task {
      try await CallLog.run(
        "acquireToken", correlationID, to: options.logger,
        [
          "app": "\(app?.description ?? "none")", "client": clientID,
          "authority": "\((authority ?? self.authority).url)", "scopes": "\(scopes)",
          "claims": "\(claims != nil)",
        ], outcome: { $0.source.rawValue }
      ) {
        try await result(
          of: response, scopes: scopes, authority: authority, claims: claims, keyID: keyID, account: expected,
          correlationID)
      }
    }
    do {
      var result = try await task.value
      result.correlationID = correlationID
      result.duration = start.duration(to: .now)
      return result
    } catch var error as SecretStoreError {
      error.correlationID = correlationID
      throw error
    }
  }

  private func result(
    of response: TokenResponse, scopes: Scopes, authority: Authority?, claims: String?, keyID: String?,
    account expected: Account?, _ correlationID: UUID
  ) async throws -> TokenResult {
    let context = try await context(scopes, authority, claims: claims, keyID: keyID)
    let entries = try TokenEntries(response, context)
    if let expected, try !response.isFor(expected, context, options.legacySignIns) {
      throw SecretStoreError(
        .accountMismatch, "The user signed in to another account; the response is dropped.")
    }
    var unsaved = CacheDocument()
    entries.apply(to: &unsaved)
    var account = try unsaved.account(entries.homeAccountID)
    var saveError: SecretStoreError?
    do {
      account = try await save(entries, of: response, context)
    } catch let error as SecretStoreError {
      saveError = error
      CallLog.warning("what the sign-in brought could not be saved", CallLog.facts(of: error))
    }
    guard let token = entries.accessToken else {
      throw TokenResult.Unsaved.noAccessToken(response, saveError)
    }
    let result = TokenResult(
      token, idToken: entries.idToken?.secret, account: account, source: .signIn, saveError: saveError,
      response: response)
    try DeclinedScopes.check(token, of: result, for: scopes, in: correlationID)
    return result
  }
}
