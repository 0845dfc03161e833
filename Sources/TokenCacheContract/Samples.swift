// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

/// Accounts, responses and caches for the cases.
enum Samples {
  static let uid = "9f4880d8-80ba-4c40-97bc-f7a23c703084"
  static let otherUID = "9f4880d8-80ba-4c40-97bc-f7a23c703099"
  static let utid = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
  static let homeAccountID = "\(uid).\(utid)"
  static let key = RecordKey.credentials(
    homeAccountID: homeAccountID, environment: "login.windows.net", clientID: "suite")

  static let otherKey = RecordKey.family(
    homeAccountID: homeAccountID, environment: "login.windows.net", familyID: "1")

  /// Returns a document with one unknown section.
  static func document(_ text: String) throws -> CacheDocument {
    try CacheDocument(parsing: Array("{\"Note\":{\"text\":\"\(text)\"}}".utf8))
  }

  static func base64URL(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().split(separator: "=")[0]
      .map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined()
  }

  /// Returns an Azure AD token response.
  static func response(
    scope: String, user: String = "ada@contoso.com", uid: String = Samples.uid, token: String = "at",
    foci: String? = nil
  ) throws -> TokenResponse {
    try TokenResponse(parsing: body(scope: scope, user: user, uid: uid, token: token, foci: foci))
  }

  /// Returns the body of an Azure AD token response.
  static func body(
    scope: String, user: String = "ada@contoso.com", uid: String = Samples.uid, token: String = "at",
    refresh: String = "rt", foci: String? = nil
  ) -> [UInt8] {
    let claims = "{\"oid\":\"\(uid)\",\"tid\":\"\(utid)\",\"preferred_username\":\"\(user)\",\"sub\":\"s\"}"
    let info = "{\"uid\":\"\(uid)\",\"utid\":\"\(utid)\"}"
    var body =
      "{\"token_type\":\"Bearer\",\"scope\":\"\(scope)\",\"expires_in\":3600,\"access_token\":\"\(token)\","
      + "\"id_token\":\"h.\(base64URL(claims)).s\",\"client_info\":\"\(base64URL(info))\","
      + "\"refresh_token\":\"\(refresh)\""
    if let foci { body += ",\"foci\":\"\(foci)\"" }
    return Array((body + "}").utf8)
  }

  /// Returns the cache of one app of one client.
  static func cache(
    _ backend: any TokenCacheBackend, app: String = "com.contoso.mail", client: String = "suite",
    endpoint: (any TokenEndpoint)? = nil, clock: TestClock = TestClock()
  ) throws -> TokenCache {
    var options = TokenCacheOptions()
    options.clock = clock
    return TokenCache(
      backend: backend, app: try AppIdentifier(app), clientID: client,
      authority: try Authority("https://login.microsoftonline.com/common"), endpoint: endpoint,
      options: options)
  }
}

extension TokenCache {
  /// Returns the only account; throws when there is not exactly one.
  func soleAccount(file: String = #fileID, line: Int = #line) async throws -> Account {
    let accounts = try await accounts()
    try expect(accounts.count, is: 1, "the number of accounts", file: file, line: line)
    return accounts[0]
  }
}
