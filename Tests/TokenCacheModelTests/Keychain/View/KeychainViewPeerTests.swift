// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: golden vectors and peers' files")
struct KeychainViewPeerTests {
  private let group = SharedGroup()

  private func document(_ backend: InMemoryBackend) async throws -> CacheDocument {
    try CacheDocument(parsing: try await CacheTransfer(backend: backend).exportUnified().json)
  }

  @Test(
    "Entries of a peer's file saved one by one, in either order, equal the file's import",
    arguments: ["go.json", "node.json", "java-aad/full_cache.json"], [true, false])
  func files(_ name: String, accountsFirst: Bool) async throws {
    let bytes = try Fixtures.bytes(name)
    let file = try CacheDocument(parsing: bytes)
    let view = try group.view()
    func saveOthers() async throws {
      for entry in file.accounts { try await view.save(entry) }
      for entry in file.appMetadata { try await view.save(entry) }
    }
    if accountsFirst { try await saveOthers() }
    for entry in file.credentials { try await view.save(entry) }
    if !accountsFirst { try await saveOthers() }
    #expect(!file.credentials.isEmpty && !file.accounts.isEmpty)
    for entry in file.credentials {
      #expect(try await view.credential(for: KeychainItemKey(of: entry)) == entry)
    }
    for entry in file.accounts { #expect(try await view.account(for: KeychainItemKey(of: entry)) == entry) }
    for entry in file.appMetadata {
      #expect(try await view.appMetadata(for: KeychainItemKey(of: entry)) == entry)
    }
    let imported = InMemoryBackend()
    var options = ImportOptions()
    options.skipsUnreadable = true
    _ = try await CacheTransfer(backend: imported).importUnified(bytes, options: options)
    let (ours, theirs) = (try await document(group.backend), try await document(imported))
    for section in CacheSection.allCases { #expect(ours[section] == theirs[section]) }
    #expect(
      try await Set(group.backend.records(matching: .all(.credentials)).map(\.key))
        == Set(imported.records(matching: .all(.credentials)).map(\.key)))
  }

  @Test("Golden sign-ins keep their keys after a save and a read", arguments: GoldenSignIn.all)
  func golden(_ signIn: GoldenSignIn) async throws {
    let view = try group.view()
    let bearer = signIn.response["token_type"] == "Bearer"
    let scheme: JSONObject =
      bearer ? [:] : ["token_type": signIn.response["token_type"] ?? .null, "kid": "key1"]
    let token: CredentialKind = bearer ? .accessToken : .accessTokenWithAuthScheme
    var expected: [KeychainAttributes] = [signIn.accessToken, signIn.refreshToken, signIn.idToken]
    var fields: [JSONObject] = [
      members(signIn, token, ["realm", "target"], scheme),
      members(signIn, .refreshToken, [], ["family_id": signIn.response["foci"] ?? .null]),
      members(signIn, .idToken, ["realm"]),
    ]
    if signIn.response["foci"] != nil {
      fields.append(members(signIn, .refreshToken, []))
      let client = "refreshtoken-\(signIn.clientID)-"
      expected.append(KeychainAttributes(signIn.account, "\(client)-", client, 2002))
    }
    for (members, attributes) in zip(fields, expected) {
      let entry = try CredentialEntry(fields: members)
      #expect(KeychainAttributes(KeychainItemKey(of: entry)) == attributes)
      try await view.save(entry)
    }
    let account = try AccountEntry(
      fields: signIn.members.changed(by: ["authority_type": "MSSTS", "target": .null]))
    try await view.save(account)
    let metadata = try AppMetadataEntry(
      fields: [
        "client_id": .string(signIn.clientID), "environment": signIn.members["environment"] ?? .null,
        "family_id": signIn.response["foci"] ?? "",
      ])
    try await view.save(metadata)

    for (members, attributes) in zip(fields, expected) {
      let stored = try #require(try await view.credential(for: key(attributes)))
      #expect(stored.fields == members)
      #expect(KeychainAttributes(KeychainItemKey(of: stored)) == attributes)
    }
    #expect(try await view.account(for: key(signIn.accountEntry)) == account)
    #expect(try await view.appMetadata(for: key(signIn.appMetadata)) == metadata)
    let count = try await view.credentials(matching: .items(account: signIn.account)).count
    #expect(count == expected.count)
  }

  private func members(
    _ signIn: GoldenSignIn, _ kind: CredentialKind, _ names: [String], _ changes: JSONObject = [:]
  ) -> JSONObject {
    var fields: JSONObject = [
      "credential_type": .string(kind.rawValue), "client_id": .string(signIn.clientID), "secret": "secret",
    ]
    for name in ["home_account_id", "environment"] + names { fields[name] = signIn.members[name] }
    return fields.changed(by: changes)
  }

  private func key(_ attributes: KeychainAttributes) -> KeychainItemKey {
    KeychainItemKey(
      account: attributes.account ?? "", service: attributes.service ?? "", generic: attributes.generic,
      type: attributes.type)
  }
}
