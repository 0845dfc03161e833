// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// The token of the identity broker's reply to `acquireTokenSilently`.
///
/// It takes the access token, the ID token and `clientInfo` of the reply. A refresh token is not read.
struct BrokerToken {
  /// The reply in the form of a token endpoint's response.
  let response: TokenResponse
  /// The account beside the token; brokers from 3.0.1 on send none.
  private let account: BrokerAccount?

  /// Reads a reply.
  ///
  /// - Parameter now: The time, before which no token may have expired.
  /// - Throws: The broker's error; a malformed reply's when it has no access token, one that HTTP could not carry, one
  ///   that is no bearer token, or one without a time of expiry.
  init(_ reply: BrokerReply, now: Date) throws(SecretStoreError.BrokerError) {
    guard let members = reply.members["brokerTokenResponse"]?.objectValue else {
      throw .malformed("has no brokerTokenResponse")
    }
    if let error = BrokerReply.error(in: members) { throw error }
    guard let token = members["accessToken"]?.stringValue, !token.isEmpty else {
      throw .malformed("has no access token")
    }
    guard token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw .malformed("has an access token with a character that HTTP can't carry")
    }
    if let type = members["accessTokenType"], type.textValue != "0" {
      throw .malformed("has an access token of another scheme than Bearer")
    }
    var body: JSONObject = ["access_token": .string(token), "token_type": "Bearer"]
    body["scope"] = try Self.scopes(members["grantedScopes"]).map(JSONValue.string)
    body["id_token"] = members["idToken"]
    body["client_info"] = members["clientInfo"]
    guard let expiresOn = Self.seconds(members["expiresOn"]) else {
      throw .malformed("does not say when the access token expires")
    }
    let lifetime = Double(expiresOn) - now.timeIntervalSince1970
    guard (0...Double(TokenResponse.maximumLifetime)).contains(lifetime) else {
      throw .malformed("has an access token that has expired or that never will")
    }
    body["expires_on"] = .number(JSONNumber(expiresOn))
    if let extended = Self.seconds(members["extendedExpiresOn"]), extended > expiresOn {
      body["ext_expires_on"] = .number(JSONNumber(extended))
    }
    do throws(SecretStoreError) {
      response = try TokenResponse(members: body)
    } catch {
      throw .malformed("has a token, an ID token or client information that can't be read")
    }
    switch members["account"] {
    case nil, .null?: account = nil
    case let value?: account = try BrokerAccount(value)
    }
  }

  /// Returns a time in whole seconds since 1970.
  ///
  /// Microsoft's broker sends milliseconds, and himmelblau sends seconds in one of the two times. No time is both.
  static func seconds(_ value: JSONValue?) -> Int? {
    guard let text = value?.textValue,
      let number = Int(text) ?? Double(text).flatMap({ Int(exactly: $0.rounded(.down)) }), number > 0
    else { return nil }
    return number >= 100_000_000_000 ? number / 1_000 : number
  }

  /// Returns the granted scopes as OAuth writes them; brokers send a text or a list.
  private static func scopes(_ value: JSONValue?) throws(SecretStoreError.BrokerError) -> String? {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?: return text
    case .array(let list)?:
      let names = list.compactMap(\.stringValue)
      guard names.count == list.count else { throw .malformed("has a granted scope that is no text") }
      return names.joined(separator: " ")
    default: throw .malformed("has granted scopes of another type")
    }
  }

  /// Checks that the reply is for an account and for this client.
  ///
  /// - Throws: `accountMismatch` for another account's; `invalidResponse` for another app's, and for one that does not
  ///   name its account.
  func check(for wanted: Account, clientID: String, _ aliases: EnvironmentAliases) throws(SecretStoreError) {
    guard let info = response.clientInfo else {
      throw SecretStoreError(.invalidResponse, "The identity broker's reply does not name its account.")
    }
    let identifier = RecordKey.storedAccount(wanted.identifier)
    var isWanted = RecordKey.storedAccount(info.homeAccountID) == identifier
    if let account = account?.account {
      isWanted =
        isWanted && RecordKey.storedAccount(account.identifier) == identifier
        && aliases.areSame(account.storageEnvironment, wanted.storageEnvironment)
    }
    if let claims = response.claims {
      // In its home tenant the account has the ID that is in its home account ID.
      let isHome = claims.tenantID?.lowercased() == info.utid.lowercased()
      if isHome, let objectID = claims["oid"] {
        isWanted = isWanted && HomeAccountID(info.homeAccountID).uid == objectID.lowercased()
      }
      guard
        Self.audiences(claims).contains(where: {
          RecordKey.storedClient($0) == RecordKey.storedClient(clientID)
        })
      else {
        throw SecretStoreError(
          .invalidResponse, "The identity broker's reply is for another app and was dropped.")
      }
    }
    guard isWanted else {
      throw SecretStoreError(
        .accountMismatch, "The identity broker's reply is for another account and was dropped.")
    }
  }

  private static func audiences(_ claims: IDTokenClaims) -> [String] {
    claims["aud"].map { [$0] } ?? claims.claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }
}

extension BrokerToken: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without its content.
  var description: String { "BrokerToken(redacted)" }

  /// An empty mirror.
  var customMirror: Mirror { Mirror(self, children: []) }
}
