// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: failures of the store")
struct KeychainViewFailureTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()

  /// Every call of the view.
  enum Call: CaseIterable {
    case credential, credentials, saveCredential, removeCredential, account, accounts, saveAccount,
      removeAccount
    case metadata, allMetadata, saveMetadata, removeMetadata, states, allStates, saveStates, removeStates
    case removeState, object, objects, saveObject, removeObject, wipe, saveWipe

    static let writing: [Call] = [
      .saveCredential, .removeCredential, .saveAccount, .removeAccount, .saveMetadata, .removeMetadata,
      .saveStates, .removeStates, .removeState, .saveObject, .removeObject, .saveWipe,
    ]

    static let objectKey = KeychainItemKey(account: "a", service: "s")

    func run(on view: KeychainView) async throws {
      let credential = try Sample.credential(.accessToken, "new")
      let account = try Sample.account(.anna, ["name": "New"])
      let metadata = try Sample.metadata(["family_id": "1"])
      let client = KeychainItemKey(accountMetadataOf: SharedGroup.suite)
      var states = KeychainAccountMetadata(clientID: SharedGroup.suite)
      states[TestUser.anna.identifier] = KeychainAccountState(fields: ["sign_in_state": "signed_out"])
      switch self {
      case .credential: _ = try await view.credential(for: KeychainItemKey(of: credential))
      case .credentials: _ = try await view.credentials(matching: .items())
      case .saveCredential: try await view.save(credential)
      case .removeCredential: try await view.removeCredential(KeychainItemKey(of: credential))
      case .account: _ = try await view.account(for: KeychainItemKey(of: account))
      case .accounts: _ = try await view.accounts(matching: .items())
      case .saveAccount: try await view.save(account)
      case .removeAccount: try await view.removeAccount(KeychainItemKey(of: account))
      case .metadata: _ = try await view.appMetadata(for: KeychainItemKey(of: metadata))
      case .allMetadata: _ = try await view.appMetadata(matching: .items())
      case .saveMetadata: try await view.save(metadata)
      case .removeMetadata: try await view.removeAppMetadata(KeychainItemKey(of: try Sample.metadata()))
      case .states: _ = try await view.accountMetadata(for: client)
      case .allStates: _ = try await view.accountMetadata(matching: .items())
      case .saveStates: try await view.save(states)
      case .removeStates: try await view.removeAccountMetadata(client)
      case .removeState: try await view.removeAccountMetadata(homeAccountID: TestUser.anna.identifier)
      case .object: _ = try await view.jsonObject(for: Self.objectKey)
      case .objects: _ = try await view.jsonObjects(matching: .items())
      case .saveObject: try await view.save(["a": 2], for: Self.objectKey)
      case .removeObject: try await view.removeJSONObject(Self.objectKey)
      case .wipe: _ = try await view.wipeInfo()
      case .saveWipe: try await view.saveWipeInfo()
      }
    }
  }

  private func fill() async throws {
    let view = try group.view()
    try await view.saveSignIn()
    try await view.save(["a": 1], for: Call.objectKey)
    try await view.saveWipeInfo(by: "Somebody")
  }

  private func expect(_ call: Call, through failing: FailingBackend, _ code: SecretStoreError.Code)
    async throws
  {
    try await fill()
    let before = try await group.stored()
    await #expect(throws: SecretStoreError(code, "")) { try await call.run(on: group.view(through: failing)) }
    #expect(try await group.stored() == before)
  }

  @Test(
    "An unreadable store throws its error, never counts as absent, and nothing is written",
    arguments: Call.allCases)
  func reading(_ call: Call) async throws {
    let failing = FailingBackend(inner: group.backend, readError: SecretStoreError(.groupLocked, ""))
    try await expect(call, through: failing, .groupLocked)
  }

  @Test("A store that refuses writes throws its error, and all items remain", arguments: Call.writing)
  func writing(_ call: Call) async throws {
    let failing = FailingBackend(inner: group.backend, writeError: SecretStoreError(.storageFailed, ""))
    try await expect(call, through: failing, .storageFailed)
  }

  @Test("A removal succeeds even if its wipe note cannot be written")
  func note() async throws {
    try await fill()
    await group.backend.storeRaw(Array("{".utf8), for: .groupData("wipe"))
    let view = try group.view()
    #expect(try await view.removeCredential(KeychainItemKey(of: try Sample.credential(.refreshToken))))
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await view.wipeInfo() }
  }

  @Test(
    "An unreadable record throws corruptItem in a look-up of one item that it may hold",
    arguments: [
      .credential, .saveCredential, .removeCredential, .account, .removeAccount, .saveAccount, .states,
      .allStates, .saveStates, .removeStates, .removeState,
    ] as [Call])
  func corrupt(_ call: Call) async throws {
    await group.backend.storeRaw(Array("{".utf8), for: SharedGroup.key())
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await call.run(on: group.view()) }
    #expect(try await group.backend.records(matching: .all(.groupData)).isEmpty)
    #expect(try await group.backend.records(matching: .all(.client)).isEmpty)
  }

  @Test("Lists skip an unreadable record", arguments: [.credentials, .accounts, .allMetadata] as [Call])
  func lists(_ call: Call) async throws {
    try await fill()
    await group.backend.storeRaw(Array("{".utf8), for: SharedGroup.key(of: .boris))
    try await call.run(on: group.view())
    #expect(try await group.view().accounts(matching: KeychainItemQuery()).count == 1)
  }

  @Test("An unreadable record does not affect other accounts' and other clients' items")
  func otherRecords() async throws {
    try await fill()
    await group.backend.storeRaw(Array("{".utf8), for: SharedGroup.key(of: .boris))
    await group.backend.storeRaw(Array("{".utf8), for: SharedGroup.key(client: SharedGroup.office))
    let view = try group.view()
    let entry = try Sample.credential(.refreshToken, "rt-1")
    #expect(try await view.credential(for: KeychainItemKey(of: entry)) == entry)
    let other = try Sample.credential(.boundRefreshToken)
    #expect(try await view.credential(for: KeychainItemKey(of: other)) == nil)
    let account = try Sample.account()
    #expect(try await view.account(for: KeychainItemKey(of: account)) == account)
    try await view.save(try Sample.account(.anna, ["name": "New"]))
    #expect(try await view.account(for: KeychainItemKey(of: account))?["name"] == "New")
    #expect(try await view.accountMetadata(for: KeychainItemKey(accountMetadataOf: "third")) == nil)
  }

  @Test("Unreadable entries are skipped and survive saves beside them")
  func entries() async throws {
    try await fill()
    let strange: JSONObject = ["strange": ["secret": .null], "other": 3]
    try await group.backend.update(SharedGroup.key()) { stored in
      for section in CacheSection.allCases {
        for (name, value) in strange { stored?[section][name] = value }
      }
      stored?[member: "Future"] = ["a": 1]
    }
    let view = try group.view()
    #expect(try await view.credentials(matching: .items()).count == 3)
    #expect(try await view.accounts(matching: .items()).count == 1)
    #expect(try await view.appMetadata(matching: .items()).count == 1)
    try await view.save(try Sample.credential(.refreshToken, "rt-2"))
    try await view.save(try Sample.account(.anna, ["name": "New"]))
    try await view.save(try Sample.metadata(["family_id": "1"]))
    #expect(try await view.removeCredential(KeychainItemKey(of: try Sample.credential(.refreshToken))))
    let document = try #require(try await group.document())
    for section in CacheSection.allCases {
      for (name, value) in strange { #expect(document[section][name] == value) }
    }
    #expect(document[member: "Future"] == ["a": 1])
  }
}
