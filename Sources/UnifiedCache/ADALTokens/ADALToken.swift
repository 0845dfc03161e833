// SPDX-License-Identifier: MIT

public import FoundationEssentials
import KeychainGroupModel
public import StrictJSON

/// One ADAL cache item: a user's tokens for one resource, or a refresh token for all resources.
///
/// ADAL keeps tokens by authority (the whole URL with its tenant), resource and client, for a user with an
/// e-mail-like ID. Its `MSOpenTech.ADAL.1` keychain items, the serialized caches of ADAL for macOS and .NET, and
/// the JSON of ADAL for Python and Node all hold such items. Unknown members survive a rewrite. The description is
/// redacted.
public struct ADALToken: Sendable, Hashable {
  /// The refresh token text that marks a removed item.
  package static let tombstone = "<tombstone>"

  /// The prefix of the client ID in a family's item; the family ID follows it.
  package static let familyPrefix = "foci-"

  /// All members, under the names that the group stores.
  public package(set) var fields: JSONObject

  /// Creates an item without tokens.
  ///
  /// - Parameters:
  ///   - authority: The whole URL with its tenant.
  ///   - resource: The resource that the access token is for; `nil` for a refresh token that serves several.
  ///   - clientID: The client ID; `foci-` and the family ID for a family's refresh token.
  public init(authority: String, resource: String?, clientID: String) {
    fields = ["authority": .string(authority), "client_id": .string(clientID)]
    self.resource = resource
  }

  /// Reads a stored item; returns `nil` when it lacks an authority or a client, or an identifier holds what no
  /// identifier may hold.
  init?(_ value: JSONValue?) {
    guard let fields = value?.objectValue else { return nil }
    self.fields = fields
    guard !authority.isEmpty, !clientID.isEmpty, unsafeIdentifier == nil else { return nil }
  }

  /// The first identifying member with a control character or too many combining marks; `nil` when there is none.
  var unsafeIdentifier: String? {
    IdentifyingMembers.adal.unsafe(in: fields) ?? (host.hasUnsafeCharacter ? "authority" : nil)
  }

  /// The first identifying member that no item of a file may have: an unsafe one, or one that is the item's token; `nil`
  /// when there is none.
  package var invalidIdentifier: String? { unsafeIdentifier ?? IdentifyingMembers.adal.invalid(in: fields) }

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
  /// The client ID; `foci-` and the family ID for a family's refresh token.
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
  /// The access token's type; `nil` means `Bearer`.
  public var accessTokenType: String? {
    get { self[text: "token_type"] }
    set { self[text: "token_type"] = newValue }
  }
  /// The refresh token.
  public var refreshToken: String? {
    get { self[text: "refresh_token"] }
    set { self[text: "refresh_token"] = newValue }
  }
  /// The time at which the access token expires.
  public var expiresOn: Date? {
    get { self[time: "expires_on"] }
    set { self[time: "expires_on"] = newValue }
  }
  /// The time until which the access token may be used while the server is down.
  public var extendedExpiresOn: Date? {
    get { self[time: "extended_expires_on"] }
    set { self[time: "extended_expires_on"] = newValue }
  }
  /// The time at which the item was stored.
  public var cachedAt: Date? {
    get { self[time: "cached_at"] }
    set { self[time: "cached_at"] = newValue }
  }
  /// The account's ID in MSAL, known to ADAL 2.7 and later.
  public var homeAccountID: String? {
    get { self[text: "home_account_id"] }
    set { self[text: "home_account_id"] = newValue }
  }
  /// The identifier of the app that the access token is kept for, as Intune requires.
  public var applicationIdentifier: String? {
    get { self[text: "application_identifier"] }
    set { self[text: "application_identifier"] = newValue }
  }
}

extension ADALToken: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "ADALToken(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
