// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("What is seen of a group")
struct GroupChecksTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let later = 1_800_000_600
  private static let earlier = 1_799_999_400

  private var sample: GroupSample

  init() throws { sample = try GroupSample() }

  private func add(_ credentials: [[String: String]], to sample: inout GroupSample) throws {
    let key = GroupSample.credentials()
    sample.add(key, try GroupSample.document(key, credentials))
  }

  @Test(
    "A sign-in can bring tokens by a refresh token, or by an access token that has not expired",
    arguments: [
      (["RefreshToken"], Diagnosis.Status.ok), (["AccessToken", "RefreshToken"], .ok),
      (["AccessToken"], .warning),
      (["IdToken"], .warning), ([], .ok),
    ])
  mutating func tokens(kinds: [String], status: Diagnosis.Status) throws {
    try add(kinds.map { GroupSample.credential($0, expiresOn: Self.earlier) }, to: &sample)
    let finding = GroupTokensCheck(inventory: sample.inventory, now: Self.now).find()
    #expect(finding.status == status)
    #expect(!finding.detail.contains("ada") && !finding.detail.contains("s3cr3t"))
  }

  @Test("An access token that is valid will do, and so will the family's refresh token")
  mutating func otherTokens() throws {
    try add([GroupSample.credential("AccessToken", expiresOn: Self.later)], to: &sample)
    #expect(GroupTokensCheck(inventory: sample.inventory, now: Self.now).find().status == .ok)
    sample = try GroupSample()
    try add([GroupSample.credential("AccessToken", expiresOn: Self.earlier)], to: &sample)
    let family = RecordKey.family(homeAccountID: "ada", environment: "id.contoso.com", familyID: "1")
    sample.add(family, try GroupSample.document(family, [GroupSample.credential("RefreshToken")]))
    #expect(GroupTokensCheck(inventory: sample.inventory, now: Self.now).find().status == .ok)
  }

  @Test("Accounts that only ADAL has a refresh token for can bring tokens, too")
  mutating func adals() throws {
    let key = RecordKey(kind: .legacy, environment: "id.contoso.com", clientID: "c", key: "k")
    let token = [
      "authority": "https://id.contoso.com/common", "client_id": "c",
      "user_id": "ada@contoso.com", "refresh_token": "s3cr3t",
    ]
    sample.add(key, try GroupSample.document(key, adal: token))
    let finding = GroupTokensCheck(inventory: sample.inventory, now: Self.now).find()
    #expect(finding.detail == "1 account of ADAL's can bring tokens.")
    try add([GroupSample.credential("AccessToken", expiresOn: Self.later)], to: &sample)
    let both = GroupTokensCheck(inventory: sample.inventory, now: Self.now).find()
    #expect(both.detail == "1 sign-in of accounts to clients and 1 account of ADAL's can bring tokens.")
  }

  @Test("A family's refresh token is nobody's when no client knows its account")
  mutating func orphans() throws {
    let family = RecordKey.family(homeAccountID: "ada", environment: "id.contoso.com", familyID: "1")
    sample.add(family, try GroupSample.document(family, [GroupSample.credential("RefreshToken")]))
    #expect(GroupEntriesCheck(inventory: sample.inventory).find().status == .warning)
    try add([], to: &sample)
    #expect(GroupEntriesCheck(inventory: sample.inventory).find().status == .ok)
  }

  @Test("Empty items are removed, and items that can't be read never are")
  mutating func entries() throws {
    sample.add(GroupSample.credentials(), [])
    let empty = GroupEntriesCheck(inventory: sample.inventory).find()
    #expect(empty.repair?.kind == .removeEmptyItems)
    sample.add(GroupSample.credentials("x"), Array("nonsense".utf8))
    let unreadable = GroupEntriesCheck(inventory: sample.inventory).find()
    #expect(unreadable.status == .warning && unreadable.repair == nil)
  }

  @Test("A group without a marker is known by its items, and the marker goes where most of them are")
  mutating func marker() throws {
    sample.add(GroupSample.credentials("a"), [1], in: GroupSample.login)
    sample.add(GroupSample.credentials("b"), [1], in: GroupSample.login)
    #expect(GroupMarkerCheck(inventory: sample.inventory).find().repair?.kind == .remakeMarker)
    #expect(MarkerRepair.location(in: sample.inventory)?.placement == .shared)
    sample.add(GroupSample.credentials("c"), [1])
    #expect(MarkerRepair.location(in: sample.inventory)?.collection == GroupSample.own)
    sample.add(GroupSample.credentials("d"), [1], in: GroupSample.other)
    sample.add(GroupSample.credentials("e"), [1], in: GroupSample.other)
    let location = MarkerRepair.location(in: sample.inventory)
    #expect(location?.collection == GroupSample.other && location?.placement == .dedicated)
  }

  @Test("The password of another collection is not the group's")
  mutating func keys() throws {
    let key = RecordKey(kind: .groupKey)
    sample.mark()
    sample.add(key, [1], in: GroupSample.login, keyring: "LOCAL:/keyrings/other.keyring")
    sample.add(key, [], in: GroupSample.login, keyring: "LOCAL:/keyrings/own.keyring")
    let missing = GroupKeyCheck(inventory: sample.inventory).find()
    #expect(missing.code == .groupUnrecoverable && missing.repair?.kind == .renewKey)
    sample.add(key, [1], in: GroupSample.login, keyring: "LOCAL:/keyrings/own.keyring")
    #expect(GroupKeyCheck(inventory: sample.inventory).find().status == .ok)
  }

  @Test("A password that a person chose will do, when gnome-keyring remembers it")
  mutating func rememberedKey() throws {
    sample.mark()
    sample.remember(GroupSample.own)
    #expect(GroupKeyCheck(inventory: sample.inventory).find().status == .ok)
  }

  @Test("A group that shares a collection needs no password")
  mutating func sharedKey() throws {
    sample.mark(GroupSample.login, .shared)
    #expect(GroupKeyCheck(inventory: sample.inventory).find().status == .ok)
    #expect(GroupPlacementCheck(inventory: sample.inventory).find().status == .ok)
  }

  @Test("Two collections are brought together, and so is an empty one of the group's name")
  mutating func collections() throws {
    sample.mark()
    #expect(GroupCollectionCheck(inventory: sample.inventory).find().status == .ok)
    sample.addNamesake(GroupSample.other)
    #expect(GroupCollectionCheck(inventory: sample.inventory).find().repair?.kind == .gatherCollections)
    sample = try GroupSample()
    sample.mark()
    sample.add(GroupSample.credentials(), [1], in: GroupSample.login)
    #expect(GroupCollectionCheck(inventory: sample.inventory).find().repair?.kind == .gatherCollections)
  }

  @Test("A group that shares the default collection may have a collection of its name beside it")
  mutating func namesake() throws {
    sample.mark(GroupSample.login, .shared)
    sample.addNamesake(GroupSample.other)
    #expect(GroupCollectionCheck(inventory: sample.inventory).find().status == .ok)
  }
}
