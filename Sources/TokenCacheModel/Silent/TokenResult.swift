// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// A token that was had silently.
///
/// Its description shows none of it.
public struct TokenResult: Sendable {
  /// Where the token came from.
  public enum Source: String, Sendable {
    /// It was in the cache.
    case cache
    /// It was brought by a refresh.
    case refresh
  }

  /// The access token, for the `Authorization` header.
  public let accessToken: String
  /// `Bearer`, or the scheme that the token is bound to.
  public let tokenType: String
  /// When the token expires.
  public let expiresOn: Date
  /// The scopes that were granted.
  public let scopes: Scopes
  /// The tenant that issued the token.
  public let tenant: String
  /// Whose it is.
  public private(set) var account: Account
  /// Where the token came from.
  public let source: Source
  /// The id token of the account in the token's tenant, where one is stored; read, and not verified.
  public let idToken: String?
  /// Whether the token has expired and is within its extended lifetime: the server is down.
  public let isExtendedLifetime: Bool
  /// Why the token could not be saved, when it could not: it is good, but the next call won't find it.
  public let saveError: SecretStoreError?
  /// The answer that brought it; `nil` for a token of the cache.
  let response: TokenResponse?

  init(
    _ token: CredentialEntry, idToken: String?, account: Account, source: Source,
    isExtendedLifetime: Bool = false, saveError: SecretStoreError? = nil, response: TokenResponse? = nil
  ) {
    self.response = response
    self.accessToken = token.secret
    self.tokenType = token.tokenType ?? "Bearer"
    self.expiresOn = token.expiresOn ?? .distantPast
    self.scopes = token.scopes
    self.tenant = token.realm ?? ""
    self.account = account
    self.source = source
    self.idToken = idToken
    self.isExtendedLifetime = isExtendedLifetime
    self.saveError = saveError
  }

  /// The same token, for the account as a caller knows it.
  func answering(_ account: Account) -> TokenResult {
    var result = self
    result.account = account
    return result
  }
}

extension TokenResult: CustomStringConvertible, CustomReflectable {
  /// The source and the time, without the token.
  public var description: String { "TokenResult(source: \(source.rawValue), expiresOn: \(expiresOn))" }

  /// Shows the source only.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
