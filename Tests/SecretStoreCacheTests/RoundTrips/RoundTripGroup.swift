// SPDX-License-Identifier: MIT

import ADALCache
import Foundation
import KeychainGroupModel
import Testing

@testable import SecretStoreCache

/// A new group with accounts of a fictitious Azure AD tenant, as apps of one suite see it.
struct RoundTripGroup {
  let name = PrivateSession.uniqueGroup()

  private static let clientID = "0f4f8d8e-3b1c-4d5a-9a64-0d5a3c1b7e21"
  private static let tenant = "7a1e6a10-54c2-4b1b-8d39-3f0f1f6c9a55"
  static let scopes: Scopes = ["mail.read"]

  init() throws { _ = try PrivateSession.control }

  /// The cache of an app over a cold back end.
  func cache(
    _ store: SecretStore, app: String = "com.example.mail", publisher: String? = nil,
    endpoint: (any TokenEndpoint)? = nil
  ) throws -> TokenCache {
    var options = TokenCacheOptions()
    options.sharesWithADAL = true
    return try store.tokenCache(
      for: try AppEntitlements(app: app, publisher: publisher, groups: [name]), group: name,
      clientID: Self.clientID,
      authority: try Authority("https://login.microsoftonline.com/common"), endpoint: endpoint,
      options: options)
  }

  /// Signs accounts in, with a separate store; with a publisher, to that one's group of the name.
  func signIn(_ numbers: ClosedRange<Int>, foci: String? = nil, publisher: String? = nil) async throws {
    let cache = try cache(SecretStore(), publisher: publisher)
    for number in numbers {
      try await cache.save(Self.response(account: number, foci: foci), scopes: Self.scopes)
    }
  }

  /// A store with an open connection, which has already made the calls that each connection makes once.
  func openStore() async throws -> SecretStore {
    let store = SecretStore()
    _ = try await cache(store).accounts()
    return store
  }

  /// Copies the accounts' items into a new collection without a password, as another program can.
  func plantCopies(in label: String) async throws {
    let client = SecretServiceClient()
    let query = ItemAttributes.owner(try AccessGroup(name)).merging(["kind": "credentials"]) { $1 }
    let items = try await client.search(query).unlocked
    let attributes = try await client.attributes(of: items)
    let secrets = try await client.secrets(of: items)
    let collection = try #require(try await client.createCollection(label: label, password: Secret("")))
    for item in items {
      _ = try await client.createItem(
        in: collection, label: "Copy", attributes: try #require(attributes[item]),
        schema: ItemAttributes.schema, secret: try #require(secrets[item]))
    }
  }

  /// Creates another program's collection with markers of the group that can't be read.
  func plantMarkers(_ count: Int, in label: String) async throws {
    let client = SecretServiceClient()
    let collection = try #require(try await client.createCollection(label: label, password: Secret("own")))
    let attributes = GroupFinder(client: client, group: try AccessGroup(name)).markerAttributes
    for _ in 1...count {
      _ = try await client.createItem(
        in: collection, label: "Marker", attributes: attributes, schema: ItemAttributes.schema,
        secret: Secret("not a marker"), replaces: false)
    }
  }

  /// The object path of an account's item of a kind, found without the library.
  func item(_ kind: String, account number: Int) async throws -> String {
    let attributes = "kind,\(kind),group,\(name),home_account_id,\(Self.identifier(account: number))"
    let found = try await PrivateSession.run(
      "dbus-send",
      [
        "--session", "--print-reply=literal", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
        "org.freedesktop.Secret.Service.SearchItems", "dict:string:string:\(attributes)",
      ])
    let paths = found.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("/") }
    guard paths.count == 1 else { throw PrivateSession.Failed(description: "Not one \(kind) item: \(found)") }
    return String(paths[0])
  }

  /// The home account ID of the account with a number.
  static func identifier(account number: Int) -> String { "\(uid(number)).\(tenant)" }

  /// A token endpoint's response for an account; each has its own `version`.
  static func response(account number: Int, version: Int = 1, foci: String? = nil) throws -> TokenResponse {
    try TokenResponse(parsing: body(account: number, version: version, foci: foci))
  }

  /// The body of such a response.
  static func body(account number: Int, version: Int, foci: String? = nil) -> [UInt8] {
    let claims =
      "{\"oid\":\"\(uid(number))\",\"tid\":\"\(tenant)\",\"sub\":\"s\","
      + "\"preferred_username\":\"user\(number)@contoso.com\"}"
    var body =
      "{\"token_type\":\"Bearer\",\"scope\":\"mail.read\",\"expires_in\":3600,"
      + "\"access_token\":\"at-\(number)-\(version)\",\"refresh_token\":\"rt-\(number)-\(version)\","
      + "\"id_token\":\"h.\(base64URL(claims)).s\","
      + "\"client_info\":\"\(base64URL("{\"uid\":\"\(uid(number))\",\"utid\":\"\(tenant)\"}"))\""
    if let foci { body += ",\"foci\":\"\(foci)\"" }
    return Array((body + "}").utf8)
  }

  private static func uid(_ number: Int) -> String {
    "c0ffee00-0000-4000-8000-\(String(format: "%012d", number))"
  }

  private static func base64URL(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
      .replacing("/", with: "_")
  }
}
