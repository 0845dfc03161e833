// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel
public import TokenCacheModel
public import UnifiedCache

/// An access token that a call of ``ADALTokenCache`` returned.
///
/// The description is redacted.
public struct ADALResult: Sendable {
  /// The access token, for the `Authorization` header.
  public let accessToken: String
  /// The token type that the server stated; `Bearer` by default.
  public let tokenType: String
  /// The time at which the token expires.
  public let expiresOn: Date
  /// The resource that the token is for.
  public let resource: String
  /// The user; `nil` where AD FS named none.
  public let user: ADALUser?
  /// The ID token of the user's sign-in, which is not verified; `nil` where none is stored.
  public let idToken: String?
  /// Where the token came from.
  public let source: TokenResult.Source
  /// The error that prevented storing the token in one of the formats; `nil` when it was stored.
  ///
  /// The token is valid all the same, but the next call may not find it in the cache.
  public let saveError: SecretStoreError?
  /// The response that contained the token; `nil` for a token from the cache or a broker.
  ///
  /// With a ``saveError``, it may hold the only copy of its refresh token: pass it to
  /// ``ADALTokenCache/save(_:resource:authority:)`` once the error's cause is mended.
  public let response: TokenResponse?

  /// The claims of the ID token, which ADAL returns in `ADUserInformation`; `nil` without an ID token.
  public var claims: IDTokenClaims? { idToken.flatMap { try? IDTokenClaims(token: $0) } }

  init?(
    _ token: ADALToken?, user: ADALUser?, source: TokenResult.Source, saveError: SecretStoreError? = nil,
    response: TokenResponse? = nil
  ) {
    guard let token, let accessToken = token.accessToken, let resource = token.resource else { return nil }
    self.init(
      accessToken: accessToken, tokenType: token.accessTokenType ?? "Bearer",
      expiresOn: token.expiresOn ?? .distantPast, resource: resource, user: user,
      idToken: token.idToken ?? response?.idToken, source: source,
      saveError: saveError, response: response)
  }

  /// Creates a result, for tests and previews of an app.
  public init(
    accessToken: String, tokenType: String = "Bearer", expiresOn: Date, resource: String,
    user: ADALUser? = nil, idToken: String? = nil,
    source: TokenResult.Source = .cache, saveError: SecretStoreError? = nil, response: TokenResponse? = nil
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresOn = expiresOn
    self.resource = resource
    self.user = user
    self.idToken = idToken
    self.source = source
    self.saveError = saveError
    self.response = response
  }
}

extension ADALResult: CustomStringConvertible, CustomReflectable {
  /// The source and the expiry, without the token.
  public var description: String { "ADALResult(source: \(source.rawValue), expiresOn: \(expiresOn))" }

  /// A mirror with the source only.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
