// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import StrictJSON

/// A token endpoint's successful response (RFC 6749 section 5.1), with the members that Microsoft's endpoints add.
///
/// ```swift
/// let response = try TokenResponse(parsing: body)
/// let saved = try await cache.save(response, scopes: ["mail.read"])
/// ```
///
/// Its description shows none of its content.
public struct TokenResponse: Sendable, Hashable {
  /// The size of the largest accepted token, in bytes; a token of 1 MB or more is an error.
  public static let maximumTokenBytes = 999_999

  /// The longest lifetime, ten years, in seconds; a longer one counts as this.
  package static let maximumLifetime = 315_360_000

  /// The access token, if there is one.
  public let accessToken: String?
  /// `token_type`; `Bearer` when the response does not say.
  public let tokenType: String
  /// The granted scopes; `nil` when the response has no `scope`, which means that all requested scopes were granted.
  public let scopes: Scopes?
  /// The response's lifetimes and points in time, by their names.
  let times: [String: Int]
  /// The refresh token, if there is one.
  public let refreshToken: String?
  /// The encoded ID token.
  public private(set) var idToken: String?
  /// The ID token's claims.
  public private(set) var claims: IDTokenClaims?
  /// The encoded `client_info`.
  public private(set) var encodedClientInfo: String?
  /// The decoded `client_info`.
  package private(set) var clientInfo: ClientInfo?
  /// `foci`: the family of clients that share the refresh token.
  public private(set) var familyID: String?
  /// The names of the members that were left out, or put into the range of lifetimes; `body` for a body that was
  /// repaired.
  let odd: [String]

  /// `resource`: the resource that the access token is for.
  ///
  /// Version 1 of Azure AD's token endpoint returns it. The refresh token of such a response is valid for every
  /// resource.
  public let resource: String?

  /// Parses the body of a successful response.
  ///
  /// A lifetime below 0 counts as 0, one above ten years as ten years, and one that is no number as absent.
  ///
  /// - Parameter body: The response's body, a JSON object in UTF-8.
  /// - Throws: `invalidResponse` when the body is no JSON object or holds neither an access token nor a refresh
  ///   token, a member has the wrong type, the ID token or `client_info` can't be decoded, an identifier holds a
  ///   control character, or a token is 1 MB or larger.
  public init(parsing body: [UInt8]) throws(SecretStoreError) {
    guard let object = JSONValue.lenientObject(body) else { throw Self.noObject }
    try self.init(members: object)
  }

  /// Creates a response from the members of its body; see ``init(parsing:)``.
  public init(members object: JSONObject) throws(SecretStoreError) {
    try self.init(object, redeemed: nil)
  }

  /// Parses the body of the response to a refresh.
  ///
  /// The redeemed refresh token may be spent, so the new one must not be lost. A body that breaks the rules of JSON is
  /// read as far as it can be, as `JSONParser.parseLeniently` says. So is one that is cut, without its access token, of
  /// which the lifetime or the scopes may be missing. A number as the refresh token counts as its text. Any other member
  /// of the wrong type, an identifier with a control character, a token of 1 MB or more, an ID token or `client_info`
  /// that can't be decoded or has such an identifier, and an access token that is the redeemed refresh token count as
  /// absent.
  ///
  /// - Throws: `invalidResponse` when the body is no JSON object or holds neither an access token nor a refresh token.
  package init(toRefresh body: [UInt8], redeeming redeemed: String) throws(SecretStoreError) {
    if let object = JSONValue.lenientObject(body) {
      try self.init(object, redeemed: redeemed)
    } else if let object = (try? JSONParser.parseLeniently(body))?.objectValue {
      try self.init(object, redeemed: redeemed, odd: ["body"])
    } else if var object = (try? JSONParser.parseLeniently(body, acceptsCut: true))?.objectValue {
      object["access_token"] = nil
      try self.init(object, redeemed: redeemed, odd: object["foci"] == nil ? ["body", "foci"] : ["body"])
    } else {
      throw Self.noObject
    }
  }

  private static let noObject = SecretStoreError(
    .invalidResponse, "The token response is not a JSON object.")

  /// The claims that identify accounts, tenants and issuers.
  private static let identifyingClaims = ["sub", "oid", "tid", "iss", "idp"]

  private init(_ object: JSONObject, redeemed: String?, odd: [String] = []) throws(SecretStoreError) {
    let isLenient = redeemed != nil
    var members = ResponseMembers(object, isLenient: isLenient)
    var accessToken = try members.token("access_token")
    if let token = accessToken, token == redeemed {
      try members.leaveOut("access_token", because: "is the refresh token")
      accessToken = nil
    }
    self.accessToken = accessToken
    self.tokenType = try members.identifier("token_type") ?? "Bearer"
    self.scopes = try members.identifier("scope", limit: Self.maximumTokenBytes).map { Scopes(target: $0) }
    self.times = members.times(
      lifetimes: ["expires_in", "ext_expires_in", "refresh_in"],
      points: ["expires_on", "ext_expires_on", "refresh_on"])
    self.refreshToken = try members.refreshToken()
    self.familyID = try members.identifier("foci")
    self.resource = try members.identifier("resource")
    if let idToken = try members.token("id_token") {
      if let claims = try Self.claims(of: idToken, isLenient: isLenient) {
        (self.idToken, self.claims) = (idToken, claims)
      } else {
        try members.leaveOut("id_token", because: "can't be decoded")
      }
    }
    if let encoded = try members.identifier("client_info") {
      if let clientInfo = isLenient ? ClientInfo(lenient: encoded) : try ClientInfo(encoded: encoded) {
        (self.encodedClientInfo, self.clientInfo) = (encoded, clientInfo)
      } else {
        try members.leaveOut("client_info", because: "can't be decoded")
      }
    }
    if accessToken == nil && refreshToken == nil {
      throw SecretStoreError(.invalidResponse, "The token response holds no access_token.")
    }
    self.odd = odd + members.odd
  }

  /// Returns the claims of an ID token; `nil` when they can't be read and the reader is lenient.
  private static func claims(of idToken: String, isLenient: Bool) throws(SecretStoreError) -> IDTokenClaims? {
    let claims: IDTokenClaims
    do {
      claims = try IDTokenClaims(token: idToken)
    } catch {
      if isLenient { return nil }
      throw error
    }
    var members = ResponseMembers(claims.claims, of: "id token", isLenient: isLenient)
    for name in identifyingClaims { _ = try members.identifier(name) }
    return members.odd.isEmpty ? claims : nil
  }
}

extension TokenResponse {
  /// Returns whether the ID token is of another issuer than the requested one, or for another client.
  ///
  /// A claim that the token lacks is not compared, nor is the issuer at Microsoft's authorities, where it depends on
  /// the tenant and the version of the token (OpenID Connect Core 1.0 sections 3.1.3.7 and 12.2).
  package func hasForeignIDToken(for clientID: String, at authority: Authority) -> Bool {
    guard let claims else { return false }
    if let expected = authority.issuer, let issuer = claims["iss"], Issuer(issuer) != expected { return true }
    guard let audience = claims.claims["aud"] else { return false }
    let clients = (audience.arrayValue ?? [audience]).compactMap(\.stringValue).map(RecordKey.storedClient)
    return !clients.contains(RecordKey.storedClient(clientID))
  }

  /// Returns the response to a refresh, without an ID token that is of another issuer or for another client.
  ///
  /// The rest is kept, because the redeemed refresh token may be spent.
  package func withoutForeignIDToken(for clientID: String, at authority: Authority) -> TokenResponse {
    guard hasForeignIDToken(for: clientID, at: authority) else { return self }
    var response = self
    (response.idToken, response.claims) = (nil, nil)
    return response
  }

  /// Returns the response to a refresh, in the family of the redeemed refresh token if its `foci` could not be read.
  ///
  /// - Parameter redeemed: The family of the redeemed refresh token; empty for none.
  package func withFamily(_ redeemed: String) -> TokenResponse {
    guard odd.contains("foci"), !redeemed.isEmpty else { return self }
    var response = self
    response.familyID = redeemed
    return response
  }
}

extension TokenResponse {
  /// The access token's lifetime in seconds; an hour when the response has no `expires_in`.
  public var expiresIn: Int { times["expires_in"] ?? 3600 }
  /// The time in seconds for which the access token may be used while the server is down.
  public var extendedExpiresIn: Int? { times["ext_expires_in"] }
  /// The time in seconds after which the access token should be refreshed, although it is still valid.
  public var refreshIn: Int? { times["refresh_in"] }
  /// The time at which the access token expires (`expires_on`), in seconds since 1970.
  ///
  /// If the response has a lifetime as well, the lifetime is used. The same applies to the two properties below.
  public var expiresOn: Int? { times["expires_on"] }
  /// The time until which the access token may be used while the server is down (`ext_expires_on`), in seconds since
  /// 1970.
  public var extendedExpiresOn: Int? { times["ext_expires_on"] }
  /// The time from which the access token should be refreshed, although it is still valid (`refresh_on`), in seconds
  /// since 1970.
  public var refreshOn: Int? { times["refresh_on"] }
}

extension TokenResponse: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without its content.
  public var description: String { "TokenResponse(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
