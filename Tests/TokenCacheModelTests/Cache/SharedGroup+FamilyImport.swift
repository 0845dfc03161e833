// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

extension SharedGroup {
  /// Anna's entries in a peer's cache: access tokens of clients, the family's refresh token, app metadata of clients.
  func importFamily(
    tokensOf clients: [String], metadata: [String: String] = [:], hasAccount: Bool = true
  ) async throws {
    let anna = TestUser.anna
    let common: JSONObject = [
      "home_account_id": .string(anna.identifier), "environment": "login.windows.net",
      "realm": .string(anna.utid),
    ]
    var sections: JSONObject = [
      "RefreshToken": [
        "f": .object(
          EntryBuilder.fields(
            .refreshToken, secret: "rt-f",
            changing: common.changed(by: [
              "family_id": "1", "client_id": .string(SharedGroup.suite), "realm": .null,
            ])))
      ]
    ]
    var (tokens, known): (JSONObject, JSONObject) = ([:], [:])
    for client in clients {
      tokens[client] = .object(
        EntryBuilder.fields(
          .accessToken, secret: "at of \(client)",
          changing: common.changed(by: ["client_id": .string(client), "target": "mail.read"])))
    }
    for (client, family) in metadata {
      known[client] = [
        "client_id": .string(client), "environment": "login.windows.net", "family_id": .string(family),
      ]
    }
    sections["AccessToken"] = .object(tokens)
    sections["AppMetadata"] = .object(known)
    if hasAccount {
      sections["Account"] = ["a": .object(common.changed(by: ["username": .string(anna.username)]))]
    }
    _ = try await CacheTransfer(backend: backend).importUnified(sections.bytes)
  }
}
