// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// A token that ADAL was given.
///
/// Its description shows none of it.
public struct ADALResult: Sendable {
  /// The access token, for the `Authorization` header.
  public let accessToken: String
  /// `Bearer`, or what the server said.
  public let tokenType: String
  /// When the token expires.
  public let expiresOn: Date
  /// What the token is for.
  public let resource: String
  /// Whose it is; `nil` where AD FS named nobody.
  public let user: ADALUser?
  /// Where the token came from.
  public let source: TokenResult.Source
  /// Why the token could not be saved, in either format, when it could not: it is good, but the next call may not find
  /// it.
  public let saveError: SecretStoreError?

  init?(
    _ token: ADALToken?, user: ADALUser?, source: TokenResult.Source, saveError: SecretStoreError? = nil
  ) {
    guard let token, let accessToken = token.accessToken, let resource = token.resource else { return nil }
    self.accessToken = accessToken
    self.tokenType = token.accessTokenType ?? "Bearer"
    self.expiresOn = token.expiresOn ?? .distantPast
    self.resource = resource
    self.user = user
    self.source = source
    self.saveError = saveError
  }
}

extension ADALResult: CustomStringConvertible, CustomReflectable {
  /// The source and the time, without the token.
  public var description: String { "ADALResult(source: \(source.rawValue), expiresOn: \(expiresOn))" }

  /// Shows the source only.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
