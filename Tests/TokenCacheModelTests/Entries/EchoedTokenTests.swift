// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Server that echoes a token of the request")
struct EchoedTokenTests {
  private static let token = "a-token-that-nobody-shows"
  private let group = SharedGroup()

  private func response(of person: TestUser, changing changes: JSONObject = [:]) -> JSONObject {
    person.response(changing: ["refresh_token": .string(Self.token)]).changed(by: changes)
  }

  private static let changes: [JSONObject] =
    [
      ["foci": .string(token)], ["foci": .string("x\(token)")], ["scope": .string("mail.read \(token)")],
      [
        "id_token": .string(
          TestUser(uid: TestUser.anna.uid, utid: TestUser.anna.utid, username: token).idToken)
      ],
    ]
    + ["name", "given_name", "family_name", "middle_name", "oid"].map { claim in
      let claims: JSONObject = [
        "sub": "s", "oid": .string(TestUser.anna.uid), "tid": .string(TestUser.anna.utid),
        "preferred_username": .string(TestUser.anna.username),
      ]
      return [
        "id_token": .string(JSONValue.object(claims.changed(by: [claim: .string("x \(token)")])).idToken)
      ]
    }

  @Test("A token is not accepted as a family ID, scope or name", arguments: changes)
  func unnamed(_ changes: JSONObject) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(response(of: .anna, changing: changes))
    #expect(![account.username, account.identifier].contains { $0.contains(Self.token) })
    for key in try await group.stored().keys {
      // They are the attributes of an item. Its label has nothing of the response.
      for part in [key.account, key.environment, key.clientID, key.familyID, key.key] {
        #expect(!part.contains(Self.token))
      }
    }
    let document = try #require(await group.document())
    #expect(document.credentials.allSatisfy { !$0.scopes.target.contains(Self.token) })
    #expect(document.secrets(.refreshToken) == [Self.token])
    for section in [CacheSection.account, .appMetadata] {
      #expect(!String(decoding: document[section].bytes, as: UTF8.self).contains(Self.token))
    }
  }

  @Test("An account whose name is a token is refused")
  func refused() async throws {
    let mail = try group.app("mail")
    for person in [
      TestUser(uid: Self.token, utid: "utid", username: "anna"),
      TestUser(uid: "uid", utid: Self.token, username: "anna"),
    ] {
      let error = await #expect(throws: SecretStoreError.self) { try await mail.signIn(response(of: person)) }
      #expect(error?.code == .invalidResponse)
      #expect(try await group.stored().isEmpty)
    }
  }
}
