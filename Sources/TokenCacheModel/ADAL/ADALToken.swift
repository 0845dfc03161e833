// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// One item of ADAL's: the tokens of a user for one resource, or a refresh token for all of them.
///
/// ADAL keeps tokens by authority (the whole URL with its tenant), resource and client, for a user who is named by
/// an e-mail-like id. It is the form behind `MSOpenTech.ADAL.1` keychain items, the serialised caches of ADAL for
/// macOS and .NET, and the JSON of ADAL for Python and Node. Members that this version doesn't know survive a
/// rewrite. Its description shows none of it.
public struct ADALToken: Sendable, Hashable {
  /// The refresh token's text in an item that stands in the place of a removed one.
  static let tombstone = "<tombstone>"

  /// What a client id begins with in a family's item; the family's id follows.
  static let familyPrefix = "foci-"

  /// All members, as they are stored in a group.
  public internal(set) var fields: JSONObject

  /// Makes an item without tokens.
  ///
  /// - Parameters:
  ///   - authority: The whole URL with its tenant.
  ///   - resource: The resource that the access token is for; `nil` for a refresh token that serves several.
  ///   - clientID: The client; `foci-` and the family's id for a family's refresh token.
  public init(authority: String, resource: String?, clientID: String) {
    fields = ["authority": .string(authority), "client_id": .string(clientID)]
    self.resource = resource
  }

  /// Reads a stored item; `nil` when it lacks an authority or a client.
  init?(_ value: JSONValue?) {
    guard let fields = value?.objectValue else { return nil }
    self.fields = fields
    guard !authority.isEmpty, !clientID.isEmpty else { return nil }
  }

  subscript(text name: String) -> String? {
    get { fields[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    set { fields[name] = newValue.map(JSONValue.string) }
  }

  private subscript(time name: String) -> Date? {
    get { UnixTime.date(fields[name]) }
    set { fields[name] = UnixTime.value(newValue) }
  }

  /// The authority's whole URL, with its tenant.
  public var authority: String {
    get { self[text: "authority"] ?? "" }
    set { self[text: "authority"] = newValue }
  }
  /// The client; `foci-` and the family's id for a family's refresh token.
  public var clientID: String { self[text: "client_id"] ?? "" }
  /// The resource that the access token is for; `nil` for a refresh token that serves several.
  public var resource: String? {
    get { self[text: "resource"] }
    set { self[text: "resource"] = newValue }
  }
  /// The family of clients that may redeem the refresh token.
  public var familyID: String? {
    get { self[text: "family_id"] }
    set { self[text: "family_id"] = newValue }
  }
  /// The access token.
  public var accessToken: String? {
    get { self[text: "access_token"] }
    set { self[text: "access_token"] = newValue }
  }
  /// How the access token is used; `Bearer` when `nil`.
  public var accessTokenType: String? {
    get { self[text: "token_type"] }
    set { self[text: "token_type"] = newValue }
  }
  /// The refresh token.
  public var refreshToken: String? {
    get { self[text: "refresh_token"] }
    set { self[text: "refresh_token"] = newValue }
  }
  /// When the access token expires.
  public var expiresOn: Date? {
    get { self[time: "expires_on"] }
    set { self[time: "expires_on"] = newValue }
  }
  /// Until when the access token may be used while the server is down.
  public var extendedExpiresOn: Date? {
    get { self[time: "extended_expires_on"] }
    set { self[time: "extended_expires_on"] = newValue }
  }
  /// When it was stored.
  public var cachedAt: Date? {
    get { self[time: "cached_at"] }
    set { self[time: "cached_at"] = newValue }
  }
  /// The account's id in MSAL, which ADAL knows from 2.7 on.
  public var homeAccountID: String? {
    get { self[text: "home_account_id"] }
    set { self[text: "home_account_id"] = newValue }
  }
  /// Keeps the access token apart for an app, as Intune asks.
  public var applicationIdentifier: String? {
    get { self[text: "application_identifier"] }
    set { self[text: "application_identifier"] = newValue }
  }
}

extension ADALToken: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "ADALToken(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
