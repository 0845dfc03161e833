// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// A token endpoint's successful answer (RFC 6749 section 5.1), with the members that Microsoft's endpoints add.
///
/// ```swift
/// let response = try TokenResponse(parsing: body)
/// let saved = try await cache.save(response, scopes: ["mail.read"])
/// ```
///
/// Its description shows none of it.
public struct TokenResponse: Sendable, Hashable {
  /// The largest token that is kept, in bytes; a token of 1 MB or more is refused.
  public static let maximumTokenBytes = 999_999

  /// The longest lifetime that is believed, ten years, in seconds.
  static let maximumLifetime = 315_360_000

  /// The access token, if there is one.
  public let accessToken: String?
  /// `token_type`; `Bearer` when the response does not say.
  public let tokenType: String
  /// The scopes granted; `nil` when the response leaves them out, which means: as requested.
  public let scopes: Scopes?
  /// The lifetimes and points in time that the response says, by their names.
  private let times: [String: Int]
  /// The refresh token, if there is one.
  public let refreshToken: String?
  /// The id token as it came.
  public let idToken: String?
  /// The id token's claims.
  public let claims: IDTokenClaims?
  /// `client_info` as it came.
  public let encodedClientInfo: String?
  /// `client_info`, decoded.
  public let clientInfo: ClientInfo?
  /// `foci`: the family of clients that share the refresh token.
  public let familyID: String?

  /// `resource`: what the access token is for, which version 1 of Azure AD's endpoint says; a refresh token beside it
  /// serves every resource.
  public let resource: String?

  /// Reads the endpoint's answer.
  ///
  /// - Parameter body: The response's body, a JSON object in UTF-8.
  /// - Throws: `corruptItem` when the body is no JSON object, holds no token to keep, a member has the wrong
  ///   type, a lifetime is negative or over ten years, the id token or `client_info` does not decode, or a
  ///   token is 1 MB or larger.
  public init(parsing body: [UInt8]) throws(SecretStoreError) {
    guard let object = JSONValue.lenientObject(body) else {
      throw SecretStoreError(.corruptItem, "The token response is not a JSON object.")
    }
    try self.init(members: object)
  }

  /// Reads the members of the endpoint's answer; see ``init(parsing:)``.
  public init(members object: JSONObject) throws(SecretStoreError) {
    let members = ResponseMembers(object)
    self.accessToken = try members.token("access_token")
    self.tokenType = try members.text("token_type") ?? "Bearer"
    self.scopes = try members.text("scope").map { Scopes(target: $0) }
    self.times = try members.times(
      lifetimes: ["expires_in", "ext_expires_in", "refresh_in"],
      points: ["expires_on", "ext_expires_on", "refresh_on"])
    self.refreshToken = try members.token("refresh_token")
    self.idToken = try members.token("id_token")
    self.encodedClientInfo = try members.text("client_info")
    self.familyID = try members.text("foci")
    self.resource = try members.text("resource")
    if let idToken { self.claims = try IDTokenClaims(token: idToken) } else { self.claims = nil }
    if let encodedClientInfo {
      self.clientInfo = try ClientInfo(encoded: encodedClientInfo)
    } else {
      self.clientInfo = nil
    }
    if accessToken == nil && refreshToken == nil {
      throw SecretStoreError(.corruptItem, "The token response holds no access_token.")
    }
  }
}

extension TokenResponse {
  /// How long the access token lives, in seconds; an hour when the response does not say.
  public var expiresIn: Int { times["expires_in"] ?? 3600 }
  /// The lifetime that the response says itself.
  var statedLifetime: Int? { times["expires_in"] }
  /// How long the access token may be used while the server is down, in seconds.
  public var extendedExpiresIn: Int? { times["ext_expires_in"] }
  /// After how many seconds the access token should be refreshed although it is valid.
  public var refreshIn: Int? { times["refresh_in"] }
  /// When the access token expires, where the response says a point in time (`expires_on`), in seconds since 1970.
  ///
  /// The lifetime goes before it where there is one, as with the two below.
  public var expiresOn: Int? { times["expires_on"] }
  /// Until when the access token may be used while the server is down (`ext_expires_on`), in seconds since 1970.
  public var extendedExpiresOn: Int? { times["ext_expires_on"] }
  /// From when on the access token should be refreshed although it is valid (`refresh_on`), in seconds since 1970.
  public var refreshOn: Int? { times["refresh_on"] }
}

extension TokenResponse: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "TokenResponse(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
