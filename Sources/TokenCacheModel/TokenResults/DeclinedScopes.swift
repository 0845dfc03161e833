// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import UnifiedCache

/// The scopes that the server granted and declined: the underlying error of `declinedScopes`.
///
/// The token for the granted scopes is in the cache, unless ``saveError`` is set. A call that asks for these scopes
/// only succeeds without the network.
public struct DeclinedScopes: Error, Sendable, PublishableError, CustomStringConvertible {
  /// The scopes that the server granted.
  public let granted: Scopes
  /// The requested scopes that the server did not grant.
  public let declined: Scopes
  /// The error when the response could not be saved; `nil` when it was saved.
  public let saveError: SecretStoreError?
  /// The response, if it could not be saved; then it may have the only copy of its refresh token.
  ///
  /// Pass it to ``TokenCache/save(_:scopes:authority:claims:keyID:)`` once the cause of ``saveError`` is mended.
  public let response: TokenResponse?
  /// Whether the group has the response's refresh token all the same, as far as is known.
  let keepsRefreshToken: Bool

  /// The scopes that the call asked for.
  private let requested: Scopes

  /// Creates the scopes of a response, for tests and previews of an app.
  public init(
    granted: Scopes, declined: Scopes, saveError: SecretStoreError? = nil, response: TokenResponse? = nil
  ) {
    self.init(
      requested: granted.union(declined), granted: granted, declined: declined, saveError: saveError,
      response: response)
  }

  init(
    requested: Scopes, granted: Scopes, declined: Scopes, saveError: SecretStoreError?,
    response: TokenResponse? = nil, keepsRefreshToken: Bool = false
  ) {
    self.response = response
    self.keepsRefreshToken = keepsRefreshToken
    self.requested = requested
    self.granted = granted
    self.declined = declined
    self.saveError = saveError
  }

  /// Throws `declinedScopes` when a token lacks requested scopes.
  static func check(
    _ token: CredentialEntry, for requested: Scopes, of response: TokenResponse? = nil,
    saveError: SecretStoreError?, keepsRefreshToken: Bool = false
  ) throws(SecretStoreError) {
    let declined = requested.resourceScopes.subtracting(token.satisfiedScopes)
    if declined.isEmpty { return }
    throw SecretStoreError(
      .declinedScopes, "The server declined the scopes \(declined).",
      underlying: DeclinedScopes(
        requested: requested, granted: token.scopes, declined: declined, saveError: saveError,
        response: saveError == nil ? nil : response, keepsRefreshToken: keepsRefreshToken))
  }

  /// The requested scopes that were granted or declined, and the number of other scopes that the server granted.
  ///
  /// The names of the others are not shown: they are the server's text, which may repeat a token from the request.
  public var description: String {
    let known = Scopes(granted.names.filter { Scopes([$0]).isSubset(of: requested) })
    let others = granted.names.count - known.names.count
    let more = others == 0 ? "" : "\(known.isEmpty ? "" : " and ")\(others) not asked for"
    return "granted: \(known)\(more); declined: \(declined)"
  }
}

extension SecretStoreError {
  /// The scopes that the server granted and declined; `nil` for an error of another code.
  public var declinedScopes: DeclinedScopes? { underlying as? DeclinedScopes }
}

extension DeclinedScopes: CustomReflectable {
  /// A mirror that shows the declined scopes only.
  public var customMirror: Mirror { Mirror(self, children: ["declined": declined]) }
}
