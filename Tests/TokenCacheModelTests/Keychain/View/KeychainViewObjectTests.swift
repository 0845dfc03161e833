// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: JSON objects and the wipe note")
struct KeychainViewObjectTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()
  private let frt = KeychainItemKey(account: "useSingleFRT", service: "useSingleFRT")
  private let throttling = KeychainItemKey(
    account: "com.microsoft.identity.throttling.metadata", service: "Ver1")

  @Test("An object is found by its key, whose account may be empty", arguments: ["", "account"])
  func found(_ account: String) async throws {
    let view = try group.view()
    let key = KeychainItemKey(account: account, service: "service", generic: "g", type: 7)
    #expect(try await view.jsonObject(for: key) == nil)
    try await view.save(["last_refresh_time": 1, "deep": [["a": .null]]], for: key)
    #expect(try await view.jsonObject(for: key) == ["last_refresh_time": 1, "deep": [["a": .null]]])
    #expect(try await view.jsonObjects(matching: .items(service: "service")).keys.map { $0 } == [key])
    #expect(try await view.jsonObject(for: KeychainItemKey(account: account, service: "service")) != nil)
    #expect(
      try await view.jsonObject(for: KeychainItemKey(account: account, service: "service", type: 8)) == nil)
    #expect(try await view.jsonObject(for: KeychainItemKey(account: "\(account)s", service: "ervice")) == nil)
    #expect(try await view.removeJSONObject(key))
    #expect(try await !view.removeJSONObject(key))
    #expect(try await group.stored().isEmpty)
  }

  @Test("Saving replaces the object with the same account and service; saving an equal one writes nothing")
  func replaces() async throws {
    let view = try group.view()
    try await view.save(["use_single_frt": false, "old": 1], for: frt)
    try await view.save(["last_refresh_time": 5], for: throttling)
    try await view.save(["use_single_frt": true], for: frt)
    #expect(
      try await view.jsonObjects(matching: .items())
        == [frt: ["use_single_frt": true], throttling: ["last_refresh_time": 5]])
    let before = try await group.stored()
    try await view.save(["use_single_frt": true], for: frt)
    #expect(try await group.stored() == before)
    let typed = KeychainItemKey(account: frt.account, service: frt.service, type: 9)
    try await view.save(["use_single_frt": true], for: typed)
    #expect(try await view.jsonObjects(matching: .items()).count == 2)
    #expect(try await view.jsonObjects(matching: .items(type: 9)).keys.first == typed)
  }

  @Test("Account and service are separate, whatever they contain")
  func apartKeys() async throws {
    let view = try group.view()
    let keys = [("ab", "c"), ("a", "bc"), ("", "abc"), ("a:b", "c"), ("a", ":bc")].map {
      KeychainItemKey(account: $0.0, service: $0.1)
    }
    for key in keys { try await view.save(["service": .string(key.service)], for: key) }
    for key in keys { #expect(try await view.jsonObject(for: key) == ["service": .string(key.service)]) }
  }

  @Test("Unknown members of a stored object remain")
  func unknownMembers() async throws {
    let view = try group.view()
    try await view.save(["a": 1], for: frt)
    let record = KeychainObject.record(of: frt)
    try await group.backend.update(record) { $0?[member: "future"] = 5 }
    try await view.save(["a": 2], for: frt)
    #expect(try await group.backend.record(for: record)?.document()[member: "future"] == 5)
  }

  @Test(
    "A malformed object throws corruptItem and is not overwritten, and other objects are listed",
    arguments: [
      1, "text", [], [:], ["service": "useSingleFRT"], ["value": [:]], ["service": 1, "value": [:]],
    ] as [JSONValue])
  func malformed(_ stored: JSONValue) async throws {
    let view = try group.view()
    try await view.save(["a": 1], for: throttling)
    try await group.backend.update(KeychainObject.record(of: frt)) { document in
      document = CacheDocument()
      document?[member: "keychain_item"] = stored
    }
    let before = try await group.stored()
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await view.jsonObject(for: frt) }
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await view.save([:], for: frt) }
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await view.removeJSONObject(frt) }
    #expect(try await view.jsonObjects(matching: .items()) == [throttling: ["a": 1]])
    #expect(try await group.stored() == before)
  }

  @Test(
    "A key without a service, or with another item's type, throws invalidArgument",
    arguments: [
      KeychainItemKey(account: "a", service: ""), KeychainItemKey(account: "a", service: " \n"),
      KeychainItemKey(account: "a", service: "s", type: 1003),
      KeychainItemKey(account: "a", service: "s", type: 2002),
      KeychainItemKey(account: "a", service: "s", type: 3001), KeychainItemKey(accountMetadataOf: "client"),
    ])
  func badKeys(_ key: KeychainItemKey) async throws {
    let view = try group.view()
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.save([:], for: key) }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.jsonObject(for: key) }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.removeJSONObject(key) }
    #expect(try await group.stored().isEmpty)
  }

  @Test("Objects are separate from other items and not exported")
  func apart() async throws {
    let view = try group.view()
    try await view.save(["secret": "s", "client_id": "c"], for: frt)
    #expect(try await view.credentials(matching: .items()) == [])
    #expect(try await view.accounts(matching: .items()) == [])
    #expect(try await view.appMetadata(matching: .items()) == [])
    let export = try await CacheTransfer(backend: group.backend).exportUnified().json
    #expect(try CacheDocument(parsing: export).root.allSatisfy { $0.value.objectValue?.isEmpty == true })
  }

  @Test("A wipe note states who and when, in the view and in the record")
  func wipe() async throws {
    let view = try group.view()
    #expect(try await view.wipeInfo() == nil)
    try await view.saveWipeInfo()
    var record = try #require(try await WipeRecord.read(from: group.backend))
    #expect(record.app == "com.contoso.mail")
    #expect(record.date == TestClock.start)
    #expect(try await view.wipeInfo() == record)
    try await view.saveWipeInfo(by: "Other", at: TestClock.start.addingTimeInterval(5))
    record = try #require(try await view.wipeInfo())
    #expect(record.app == "Other")
    #expect(record.date == TestClock.start.addingTimeInterval(5))
    #expect(!record.description.contains("all accounts"))
    let directory = AccountDirectory(backend: group.backend)
    try await directory.removeEverything(recordedAs: "x", clock: group.clock)
    #expect(try await view.wipeInfo() == record, "Nothing was there to remove.")
    try await group.app("mail").signIn(TestUser.anna.response())
    try await directory.removeEverything(recordedAs: "x", clock: group.clock)
    #expect(try await view.wipeInfo()?.description.contains("all accounts") == true)
  }

  @Test(
    "Removing a refresh token records who and when; removing another item records nothing",
    arguments: CredentialKind.allCases)
  func noted(_ kind: CredentialKind) async throws {
    let view = try group.view()
    let entry = try Sample.credential(kind)
    try await view.saveSignIn()
    try await view.save(entry)
    #expect(try await view.wipeInfo() == nil)
    group.clock.advance(by: 7)
    #expect(try await view.removeCredential(KeychainItemKey(of: entry)))
    let record = try await view.wipeInfo()
    #expect((record != nil) == (kind.section == .refreshToken))
    #expect(record?.app == (kind.section == .refreshToken ? "com.contoso.mail" : nil))
    #expect(record.map { $0.date == TestClock.start.addingTimeInterval(7) } != false)
    #expect(record?.isEverything != true)
  }
}
