// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: app metadata")
struct KeychainViewAppMetadataTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()
  private let client = RecordKey.client(SharedGroup.suite, environment: KeychainViewSample.host)

  @Test(
    "App metadata are found by their key, with an account and without", arguments: [true, false],
    ["", "1", nil])
  func found(hasAccount: Bool, family: String?) async throws {
    let view = try group.view()
    if hasAccount { try await view.save(try Sample.credential(.refreshToken)) }
    let entry = try Sample.metadata(["family_id": family.map(JSONValue.string) ?? .null, "future": 1])
    try await view.save(entry)
    let stored = try #require(try await view.appMetadata(for: KeychainItemKey(of: entry)))
    #expect(stored == entry)
    #expect(KeychainItemKey(of: stored) == KeychainItemKey(of: entry))
    #expect(try await group.document()?.appMetadata == (hasAccount ? [entry] : nil))
    #expect(try await group.backend.record(for: client) == nil || !hasAccount)
    #expect(try await view.removeAppMetadata(KeychainItemKey(of: entry)))
    #expect(try await !view.removeAppMetadata(KeychainItemKey(of: entry)))
    #expect(try await view.appMetadata(matching: .appMetadata()) == [])
  }

  @Test("Saving updates the same client's metadata and keeps unknown members")
  func updates() async throws {
    let view = try group.view()
    for hasAccount in [false, true] {
      if hasAccount { try await view.save(try Sample.credential(.refreshToken)) }
      try await view.save(try Sample.metadata(["family_id": "1", "future": 1]))
      for family in ["", "1", nil] as [String?] {
        let value = family.map(JSONValue.string) ?? .null
        try await view.save(try Sample.metadata(["family_id": value]))
        let query = KeychainItemQuery.appMetadata(clientID: SharedGroup.suite)
        let expected = try Sample.metadata(["family_id": value, "future": 1])
        #expect(try await view.appMetadata(matching: query) == [expected])
      }
    }
  }

  @Test("App metadata saved before the account move to the account's record and are updated there")
  func beforeAccounts() async throws {
    let view = try group.view()
    try await view.save(try Sample.metadata(["family_id": "1"]))
    try await view.saveSignIn()
    let none = try Sample.metadata()
    #expect(try await group.document()?.appMetadata == [none])
    #expect(try await group.backend.record(for: client)?.document().appMetadata == [none])
    #expect(try await view.appMetadata(matching: .items()) == [none])
  }

  @Test("A client's record in a family has its app metadata from the first credential on")
  func inherited() async throws {
    let view = try group.view()
    let entry = try Sample.metadata(["family_id": "1"])
    try await view.save(entry)
    try await view.save(try Sample.credential(.accessToken))
    #expect(try await group.document()?.appMetadata == [entry])
  }

  @Test(
    "Metadata without a client or an environment throw invalidArgument",
    arguments: [["client_id": .null], ["client_id": ""], ["environment": .null], ["environment": 1]]
      as [JSONObject])
  func members(_ changes: JSONObject) {
    #expect(throws: SecretStoreError(.invalidArgument, "")) { try Sample.metadata(changes) }
  }

  @Test("A key without a service throws invalidArgument")
  func blankService() async throws {
    let view = try group.view()
    let key = KeychainItemKey(account: Sample.host, service: " ", type: 3001)
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.appMetadata(for: key) }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.removeAppMetadata(key) }
  }
}
