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

  private static let changes: [JSONObject] = [
    ["foci": .string(token)], ["foci": .string("x\(token)")], ["scope": .string("mail.read \(token)")],
    [
      "id_token": .string(TestUser(uid: TestUser.anna.uid, utid: TestUser.anna.utid, username: token).idToken)
    ],
  ]

  @Test("A token is not accepted as a family ID, scope or name", arguments: changes)
  func unnamed(_ changes: JSONObject) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(response(of: .anna, changing: changes))
    #expect(!account.username.contains(Self.token))
    for key in try await group.stored().keys { #expect(!"\(key) \(key.familyID)".contains(Self.token)) }
    let document = try #require(await group.document())
    #expect(document.credentials.allSatisfy { !$0.scopes.target.contains(Self.token) })
    #expect(document.secrets(.refreshToken) == [Self.token])
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
