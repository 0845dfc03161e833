// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// One credential of a unified cache, with every member that came with it.
///
/// Members that this version doesn't know, and known ones of a wrong type, survive a rewrite as they were; the
/// properties below read the latter as absent. Times are read from strings or numbers and written as whole
/// seconds in strings. Its description shows none of it.
public struct CredentialEntry: Sendable, Hashable {
  /// All members as they are stored.
  public internal(set) var fields: JSONObject

  /// What kind of credential it is.
  public let kind: CredentialKind

  /// Makes a credential with its identifying members and its secret.
  init(
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

  /// Makes a credential of its members, under the names that unified caches use.
  ///
  /// - Throws: `invalidArgument` when `credential_type` is none that this version knows, or `secret`, `client_id`,
  ///   `environment` or `home_account_id` is missing or blank, or the secret is 1 MB or larger.
  public init(fields: JSONObject) throws(SecretStoreError) {
    guard let kind = fields["credential_type"]?.stringValue.flatMap({ CredentialKind(name: $0) }),
      let entry = CredentialEntry(.object(fields), section: kind.section),
      entry.secret.utf8.count <= TokenResponse.maximumTokenBytes
    else {
      throw SecretStoreError(
        .invalidArgument, "The credential lacks one of its required members, or its secret is too large.")
    }
    self = entry
  }

  /// Reads a stored entry; `nil` when it lacks a secret, a client, an environment or an account, or is of a kind
  /// that this version doesn't know.
  init?(_ value: JSONValue, section: CacheSection) {
    guard let fields = value.objectValue else { return nil }
    let name = fields["credential_type"]?.stringValue ?? section.rawValue
    guard let kind = CredentialKind(name: name), kind.section == section else { return nil }
    self.kind = kind
    self.fields = fields
    let required = ["secret", "client_id", "environment", "home_account_id"]
    guard required.allSatisfy({ text($0)?.isEmpty == false }) else { return nil }
  }

  func text(_ name: String) -> String? { fields[name]?.stringValue }

  private func time(_ name: String) -> Date? { UnixTime.date(fields[name]) }

  /// The token.
  public var secret: String { text("secret") ?? "" }
  /// The account, `uid.utid` in Azure AD.
  public var homeAccountID: String { text("home_account_id") ?? "" }
  /// The host that the entry was written under.
  public var environment: String { text("environment") ?? "" }
  /// The client that the credential was issued to.
  public var clientID: String { text("client_id") ?? "" }

  /// The tenant that issued it.
  public internal(set) var realm: String? {
    get { text("realm") }
    set { fields["realm"] = newValue.map(JSONValue.string) }
  }
  /// The scopes granted.
  public internal(set) var scopes: Scopes {
    get { Scopes(target: text("target") ?? "") }
    set { fields["target"] = .string(newValue.target) }
  }
  /// The family that shares a refresh token.
  public internal(set) var familyID: String? {
    get { text("family_id").flatMap { $0.isEmpty ? nil : $0 } }
    set { fields["family_id"] = newValue.map(JSONValue.string) }
  }
  /// The scheme of an access token; `nil` for a bearer token.
  ///
  /// MSAL for Node spells the member `tokenType`.
  public internal(set) var tokenType: String? {
    get { text("token_type") ?? text("tokenType") }
    set { fields["token_type"] = newValue.map(JSONValue.string) }
  }
  /// When it was stored.
  public internal(set) var cachedAt: Date? {
    get { time("cached_at") }
    set { fields["cached_at"] = UnixTime.value(newValue) }
  }
  /// When it was stored or last changed, as far as the entry says; MSAL Python says so of refresh tokens.
  var modifiedAt: Date? { time("last_modification_time") ?? cachedAt }
  /// When it expires.
  public internal(set) var expiresOn: Date? {
    get { time("expires_on") }
    set { fields["expires_on"] = UnixTime.value(newValue) }
  }
  /// Until when it may be used while the server is down.
  public internal(set) var extendedExpiresOn: Date? {
    get { time("extended_expires_on") ?? time("ext_expires_on") }
    set { fields["extended_expires_on"] = UnixTime.value(newValue) }
  }
  /// From when on it should be refreshed although it is valid.
  public internal(set) var refreshOn: Date? {
    get { time("refresh_on") }
    set { fields["refresh_on"] = UnixTime.value(newValue) }
  }
}

extension CredentialEntry: CustomStringConvertible, CustomReflectable {
  /// Names the kind and nothing of what it holds.
  public var description: String { "\(kind.rawValue)(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
