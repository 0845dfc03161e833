// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel
public import StrictJSON

/// A credential of a unified cache, with all of its members.
///
/// Unknown members and known members of a wrong type are kept unchanged when the entry is rewritten. The properties
/// below return `nil` or an empty value for members of a wrong type. Times are read from strings or numbers, and are
/// written as whole seconds in strings. The description shows no content.
public struct CredentialEntry: Sendable, Hashable {
  /// All members, as they are stored.
  public package(set) var fields: JSONObject

  package var origin = KeyOrigin()

  /// The kind of the credential.
  public let kind: CredentialKind

  /// Creates a credential from its identifying members and its secret.
  package init(
    kind: CredentialKind, homeAccountID: String, environment: String, clientID: String, secret: String
  ) {
    self.kind = kind
    self.fields = [
      "credential_type": .string(kind.rawValue),
      "home_account_id": .string(homeAccountID),
      "environment": .string(environment),
      "client_id": .string(clientID),
      "secret": .string(secret),
    ]
  }

  /// Creates a credential from its members, with the names that unified caches use.
  ///
  /// - Throws: `invalidArgument` when this version doesn't know the `credential_type`; `secret`, `client_id`,
  ///   `environment` or, except for an access token, `home_account_id` is missing or empty; an identifier holds a
  ///   control character; or the secret is 1 MB (1,000,000 bytes) or larger.
  public init(fields: JSONObject) throws(SecretStoreError) {
    guard let kind = fields["credential_type"]?.stringValue.flatMap({ CredentialKind(name: $0) }),
      let entry = CredentialEntry(.object(fields), section: kind.section),
      entry.secret.utf8.count <= TokenResponse.maximumTokenBytes
    else {
      throw SecretStoreError(
        .invalidArgument,
        "The credential lacks one of its required members, has an identifier with a control character, or its "
          + "secret is too large.")
    }
    self = entry
  }

  /// Reads a stored entry.
  ///
  /// The result is `nil` when the secret, the client, the environment or, except for an access token, the account is
  /// missing or empty, an identifier holds a control character, or this version doesn't know the credential type.
  package init?(_ value: JSONValue, section: CacheSection, named key: String? = nil) {
    guard let fields = value.objectValue else { return nil }
    let name = fields["credential_type"]?.stringValue ?? section.rawValue
    guard let kind = CredentialKind(name: name), kind.section == section else { return nil }
    self.kind = kind
    self.fields = fields
    // A client's own access token has no account.
    let required = ["secret", "client_id", "environment"] + (kind.isAccessToken ? [] : ["home_account_id"])
    guard required.allSatisfy({ text($0)?.isEmpty == false }),
      [nil, .null].contains(fields["home_account_id"]) || fields["home_account_id"]?.stringValue != nil,
      IdentifyingMembers.credential.unsafe(in: fields) == nil
    else { return nil }
    origin = KeyOrigin(key, at: environment)
  }

  /// Whether the client has the token for itself and not for a user.
  package var isAppToken: Bool { homeAccountID.isEmpty }

  package func text(_ name: String) -> String? { fields[name]?.stringValue }

  private func time(_ name: String) -> Date? { UnixTime.date(fields[name]) }

  /// The token.
  public var secret: String { text("secret") ?? "" }
  /// The account's identifier, `uid.utid` in Azure AD; empty for a client's own token (client credentials).
  public var homeAccountID: String { text("home_account_id") ?? "" }
  /// The host that the entry was written under, or the account's ``Issuer``.
  public var environment: String { text("environment") ?? "" }
  /// The client that the credential was issued to.
  public var clientID: String { text("client_id") ?? "" }

  /// The tenant that issued the credential.
  public package(set) var realm: String? {
    get { text("realm") }
    set { fields["realm"] = newValue.map(JSONValue.string) }
  }
  /// The granted scopes.
  public package(set) var scopes: Scopes {
    get { Scopes(target: text("target") ?? "") }
    set { fields["target"] = .string(newValue.target) }
  }
  /// The family that shares the refresh token; `nil` where only the client can use it, as outside Azure AD.
  public package(set) var familyID: String? {
    get {
      guard let family = text("family_id"), !family.isEmpty,
        HomeAccountID(homeAccountID).hasFamilies(at: environment)
      else { return nil }
      return family
    }
    set { fields["family_id"] = newValue.map(JSONValue.string) }
  }
  /// The authentication scheme of an access token, usually absent for a bearer token.
  ///
  /// MSAL Node spells the member `tokenType`.
  public package(set) var tokenType: String? {
    get { text("token_type") ?? text("tokenType") }
    set { fields["token_type"] = newValue.map(JSONValue.string) }
  }
  /// The time when the credential was stored.
  public package(set) var cachedAt: Date? {
    get { time("cached_at") }
    set { fields["cached_at"] = UnixTime.value(newValue) }
  }
  /// The time when the credential was stored or last changed, if the entry has it.
  ///
  /// For refresh tokens only MSAL Python writes it.
  package var modifiedAt: Date? { time("last_modification_time") ?? cachedAt }
  /// The time when the credential expires.
  public package(set) var expiresOn: Date? {
    get { time("expires_on") }
    set { fields["expires_on"] = UnixTime.value(newValue) }
  }
  /// The time until which the credential may be used while the server is unavailable.
  public package(set) var extendedExpiresOn: Date? {
    get { time("extended_expires_on") ?? time("ext_expires_on") }
    set { fields["extended_expires_on"] = UnixTime.value(newValue) }
  }
  /// Returns whether an access token can't be used any more, not even while the server is down.
  package func isExpired(at now: Date) -> Bool {
    (expiresOn ?? .distantPast) < now && (extendedExpiresOn ?? .distantPast) < now
  }
  /// The time from which the credential should be refreshed although it is still valid.
  public package(set) var refreshOn: Date? {
    get { time("refresh_on") }
    set { fields["refresh_on"] = UnixTime.value(newValue) }
  }
}

extension CredentialEntry: CustomStringConvertible, CustomReflectable {
  /// The kind, without any content.
  public var description: String { "\(kind.rawValue)(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
