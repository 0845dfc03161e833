// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

@Suite("Group checks")
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
    "A sign-in can get tokens by a refresh token or an unexpired access token",
    arguments: [
      (["RefreshToken"], Diagnosis.Status.ok), (["AccessToken", "RefreshToken"], .ok),
      (["AccessToken"], .warning),
      (["IdToken"], .warning), ([], .ok),
    ])
  mutating func tokens(kinds: [String], status: Diagnosis.Status) throws {
    try add(kinds.map { GroupSample.credential($0, expiresOn: Self.earlier) }, to: &sample)
    let result = GroupTokensCheck(inventory: sample.inventory, now: Self.now).run()
    #expect(result.status == status)
    #expect(!result.detail.contains("ada") && !result.detail.contains("s3cr3t"))
  }

  @Test("A password that opens another collection than it names is that one's only")
  mutating func restoredPassword() throws {
    let named = try #require(GnomeKeyringFile(collection: GroupSample.other))
    let password = [UInt8](repeating: UInt8(ascii: "a"), count: 64)
    sample.add(GroupFinder.passwordKey, password, in: GroupSample.login, keyring: named.attribute)
    let path = try #require(sample.inventory.items.first?.path)
    #expect(sample.inventory.passwords(of: GroupSample.other).map(\.path) == [path])
    sample.restore(path, GroupSample.own)
    #expect(sample.inventory.passwords(of: GroupSample.own).map(\.path) == [path])
    #expect(sample.inventory.passwords(of: GroupSample.other).isEmpty)
  }

  @Test("A valid access token or the family's refresh token is sufficient")
  mutating func otherTokens() throws {
    try add([GroupSample.credential("AccessToken", expiresOn: Self.later)], to: &sample)
    #expect(GroupTokensCheck(inventory: sample.inventory, now: Self.now).run().status == .ok)
    sample = try GroupSample()
    try add([GroupSample.credential("AccessToken", expiresOn: Self.earlier)], to: &sample)
    let family = RecordKey.family(homeAccountID: "ada", environment: "login.windows.net", familyID: "1")
    sample.add(family, try GroupSample.document(family, [GroupSample.credential("RefreshToken")]))
    #expect(GroupTokensCheck(inventory: sample.inventory, now: Self.now).run().status == .ok)
  }

  @Test("Accounts for which only ADAL has a refresh token can get tokens")
  mutating func adalTokens() throws {
    let key = RecordKey(kind: .legacy, environment: "id.contoso.com", clientID: "c", key: "k")
    let token = [
      "authority": "https://id.contoso.com/common", "client_id": "c",
      "user_id": "ada@contoso.com", "refresh_token": "s3cr3t",
    ]
    sample.add(key, try GroupSample.document(key, adal: token))
    let result = GroupTokensCheck(inventory: sample.inventory, now: Self.now).run()
    #expect(result.detail == "1 account of ADAL's can bring tokens.")
    try add([GroupSample.credential("AccessToken", expiresOn: Self.later)], to: &sample)
    let both = GroupTokensCheck(inventory: sample.inventory, now: Self.now).run()
    #expect(both.detail == "1 sign-in of accounts to clients and 1 account of ADAL's can bring tokens.")
  }

  @Test("A family's refresh token alone can get tokens")
  mutating func familyAlone() throws {
    let family = RecordKey.family(homeAccountID: "ada", environment: "login.windows.net", familyID: "1")
    sample.add(family, try GroupSample.document(family, [GroupSample.credential("RefreshToken")]))
    #expect(GroupEntriesCheck(inventory: sample.inventory).run().status == .ok)
    let result = GroupTokensCheck(inventory: sample.inventory, now: Self.now).run()
    #expect(result == .ok("1 account of a family of clients can bring tokens."))
  }

  @Test("A family's refresh token outside Azure AD can get none: no call looks for it")
  mutating func familyElsewhere() throws {
    try add([GroupSample.credential("AccessToken", expiresOn: Self.earlier)], to: &sample)
    let family = RecordKey.family(homeAccountID: "ada", environment: "id.contoso.com", familyID: "1")
    sample.add(family, try GroupSample.document(family, [GroupSample.credential("RefreshToken")]))
    #expect(GroupTokensCheck(inventory: sample.inventory, now: Self.now).run().status == .warning)
  }

  @Test("Empty items are removed, and unreadable items are quarantined")
  mutating func entries() throws {
    sample.add(GroupSample.credentials(), [])
    let empty = GroupEntriesCheck(inventory: sample.inventory).run()
    #expect(empty.repair?.kind == .removeEmptyItems)
    sample.add(GroupSample.credentials("x"), Array("nonsense".utf8))
    let unreadable = GroupEntriesCheck(inventory: sample.inventory).run()
    #expect(unreadable.code == .corruptItem && unreadable.repair?.kind == .setAsideDamaged)
    #expect(unreadable.detail.contains("Sign-in for x at id.contoso.com"))
  }

  @Test("A group without a marker is recognized by its items; the repair writes a marker")
  mutating func marker() throws {
    #expect(MarkerRepair.target(in: sample.inventory) == .nowhere)
    sample.add(GroupSample.credentials("a"), [1], in: GroupSample.login)
    #expect(GroupMarkerCheck(inventory: sample.inventory).run().repair?.kind == .remakeMarker)
    let shared = GroupLocation(collection: GroupSample.login, placement: .shared)
    #expect(MarkerRepair.target(in: sample.inventory) == .location(shared))
    sample.add(RecordKey(kind: .groupKey), [1], in: GroupSample.login)
    #expect(MarkerRepair.target(in: sample.inventory) == .newCollection)
    // Any program can put many items into a collection of its own.
    for client in "bcdef" { sample.add(GroupSample.credentials(String(client)), [1], in: GroupSample.other) }
    #expect(MarkerRepair.target(in: sample.inventory) == .newCollection)
    sample.prove(GroupSample.own)
    let own = GroupLocation(collection: GroupSample.own, placement: .dedicated)
    #expect(MarkerRepair.target(in: sample.inventory) == .location(own))
    sample.prove(GroupSample.other)
    #expect(MarkerRepair.target(in: sample.inventory) == .newCollection)
  }

  @Test("Two collections with the group's marker are an error; the repair merges them into a new one")
  mutating func ambiguous() throws {
    sample.mark(GroupSample.own)
    sample.mark(GroupSample.other)
    sample.forgetLocation()
    let result = GroupMarkerCheck(inventory: sample.inventory).run()
    #expect(result.code == .corruptItem && result.repair?.kind == .renewKey)
    #expect(!GroupCollectionCheck(inventory: sample.inventory).run().wasPerformed)
    #expect(!GroupKeyCheck(inventory: sample.inventory).run().wasPerformed)
  }

  @Test("No records move into a collection with another name or with other programs' items")
  mutating func mixed() throws {
    sample.mark()
    sample.add(GroupSample.credentials(), [1], in: GroupSample.login)
    sample.mix(GroupSample.own, "Bank")
    let result = GroupCollectionCheck(inventory: sample.inventory).run()
    #expect(result.status == .warning && result.repair == nil)
  }

  @Test("The password of another collection is not the group's")
  mutating func keys() throws {
    let key = RecordKey(kind: .groupKey)
    sample.mark()
    sample.add(key, [1], in: GroupSample.login, keyring: "LOCAL:/keyrings/other.keyring")
    sample.add(key, [], in: GroupSample.login, keyring: "LOCAL:/keyrings/own.keyring")
    let missing = GroupKeyCheck(inventory: sample.inventory).run()
    #expect(missing.code == .groupUnrecoverable && missing.repair?.kind == .renewKey)
    let password = Array(String(repeating: "0123456789abcdef", count: 4).utf8)
    for (content, collection) in [([1], GroupSample.login), (password, GroupSample.own)] {
      sample.add(key, content, in: collection, keyring: "LOCAL:/keyrings/own.keyring")
      #expect(GroupKeyCheck(inventory: sample.inventory).run().code == .groupUnrecoverable)
    }
    sample.add(key, password, in: GroupSample.login, keyring: "LOCAL:/keyrings/own.keyring")
    #expect(GroupKeyCheck(inventory: sample.inventory).run().status == .ok)
  }

  @Test("A group whose items are all empty is in another wallet, and nothing is removed")
  mutating func allItemsEmpty() throws {
    sample.mark(GroupSample.own, content: [])
    sample.add(GroupSample.credentials(), [])
    let result = GroupEntriesCheck(inventory: sample.inventory).run()
    #expect(result.code == .storageFailed && result.repair == nil)
  }

  @Test("A password chosen by the user is valid if gnome-keyring stores it")
  mutating func rememberedKey() throws {
    sample.mark()
    sample.remember(GroupSample.own)
    #expect(GroupKeyCheck(inventory: sample.inventory).run().status == .ok)
  }

  @Test("A group in a shared collection needs no password")
  mutating func sharedKey() throws {
    sample.mark(GroupSample.login, .shared)
    #expect(GroupKeyCheck(inventory: sample.inventory).run().status == .ok)
    #expect(GroupPlacementCheck(inventory: sample.inventory).run().status == .ok)
  }

  @Test("The repair merges two collections, and also an empty one that the group's password opens")
  mutating func collections() throws {
    sample.mark()
    #expect(GroupCollectionCheck(inventory: sample.inventory).run().status == .ok)
    sample.addNamesake(GroupSample.other)
    let result = GroupCollectionCheck(inventory: sample.inventory).run()
    #expect(result.status == .warning && result.repair == nil)
    sample.addLeftover(GroupSample.other)
    #expect(GroupCollectionCheck(inventory: sample.inventory).run().repair?.kind == .moveIntoOneCollection)
    sample = try GroupSample()
    sample.mark()
    sample.add(GroupSample.credentials(), [1], in: GroupSample.login)
    #expect(GroupCollectionCheck(inventory: sample.inventory).run().repair?.kind == .moveIntoOneCollection)
  }

  @Test("A group in the default collection may have a collection of its name beside it")
  mutating func namesake() throws {
    sample.mark(GroupSample.login, .shared)
    sample.addNamesake(GroupSample.other)
    #expect(GroupCollectionCheck(inventory: sample.inventory).run().status == .ok)
  }

  @Test(
    "A keyring that is not proven and has the only copies is named before anything else, and the repair copies them",
    arguments: [UnprovenKeyring.Key.storedPassword, .unknownPassword, .none], [true, false])
  mutating func onlyCopies(key: UnprovenKeyring.Key, hasLocation: Bool) throws {
    if hasLocation { sample.mark() }
    sample.addNamesake(GroupSample.other)
    sample.addUnproven(UnprovenKeyring(label: "Old", count: 2, key: key))
    let result = GroupCollectionCheck(inventory: sample.inventory).run()
    #expect(result.status == (key == .storedPassword ? .warning : .error))
    #expect(result.code == (key == .storedPassword ? nil : .groupUnrecoverable))
    #expect(result.detail.contains("No stored password opens it") == (key == .unknownPassword))
    #expect(result.detail.contains("is not encrypted") == (key == .none))
    #expect(result.detail.contains("The keyring Old") && result.detail.contains("only copy of 2 items"))
    #expect(result.repair?.kind == (hasLocation ? .moveIntoOneCollection : .renewKey))
    if hasLocation {
      sample.mix(GroupSample.own, "Mixed")
      let mixed = GroupCollectionCheck(inventory: sample.inventory).run()
      #expect(mixed.status == result.status && mixed.repair == nil)
      #expect(mixed.remedy.hasPrefix("Move what is not the group's"))
    }
  }
}
