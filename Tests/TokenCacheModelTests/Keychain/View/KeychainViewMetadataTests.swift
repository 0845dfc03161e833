// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: account metadata")
struct KeychainViewMetadataTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let boris = TestUser.boris
  private let key = KeychainItemKey(accountMetadataOf: SharedGroup.suite)
  private let common = KeychainViewSample.common
  private let tenant = KeychainViewSample.tenant

  @Test("Account metadata are found by their key as saved, with unknown members")
  func found() async throws {
    let view = try group.view()
    #expect(try await view.accountMetadata(for: key) == nil)
    var fields = try Sample.accountMetadata(SharedGroup.suite, [anna, boris]).fields
    fields["future"] = ["a": 1]
    fields["principal_home_account_id"] = .string(boris.identifier)
    fields["principal_username"] = "boris"
    fields["principal_account_environment"] = "login.windows.net"
    var saved = try KeychainAccountMetadata(fields: fields)
    var state = try #require(saved[anna.identifier])
    try state.setAuthorityURL(tenant, for: common, isInstanceAware: true)
    state.fields["future"] = [1]
    saved[anna.identifier] = state
    try await view.save(saved)
    #expect(try await view.accountMetadata(for: key) == saved)
    #expect(try await view.accountMetadata(matching: .accountMetadata()) == [saved])
    let before = try await group.stored()
    try await view.save(saved)
    #expect(try await group.stored() == before)
  }

  @Test("Each client has its own metadata; a query finds all, or one client's")
  func clients() async throws {
    let view = try group.view()
    let both = try [Sample.accountMetadata(), Sample.accountMetadata(SharedGroup.office, [boris])]
    for metadata in both { try await view.save(metadata) }
    #expect(try await view.accountMetadata(matching: .accountMetadata()) == both)
    #expect(
      try await view.accountMetadata(matching: .accountMetadata(clientID: SharedGroup.office)) == [both[1]])
    #expect(try await view.accountMetadata(matching: .appMetadata()) == [])
    #expect(both.map(\.homeAccountIDs) == [[anna.identifier], [boris.identifier]])
  }

  @Test("A read returns another process's change, not this process's last save")
  func inParallel() async throws {
    let views = [try group.view(), try group.view()]
    try await views[0].save(try Sample.accountMetadata())
    var changed = try #require(try await views[1].accountMetadata(for: key))
    changed[anna.identifier]?.signInState = .signedOut
    changed.principal = KeychainPrincipalAccount(homeAccountID: boris.identifier)
    try await views[1].save(changed)
    let read = try #require(try await views[0].accountMetadata(for: key))
    #expect(read[anna.identifier]?.signInState == .signedOut)
    #expect(read.principal?.homeAccountID == boris.identifier)
    #expect(try await group.stored().count == 2)
  }

  @Test("Accounts missing from a save remain, since another process may have added them")
  func leftOut() async throws {
    let view = try group.view()
    try await view.save(try Sample.accountMetadata(SharedGroup.suite, [boris]))
    try await view.save(try Sample.accountMetadata())
    let stored = try await view.accountMetadata(for: key)
    #expect(stored?.homeAccountIDs == [anna.identifier, boris.identifier].sorted())
    #expect(stored?[boris.identifier]?.authorityURL(for: common) == tenant)
  }

  @Test("Removing an account deletes it from all clients' metadata and nothing else")
  func removesAccount() async throws {
    let view = try group.view()
    for client in [SharedGroup.suite, SharedGroup.office] {
      try await view.save(try Sample.accountMetadata(client, [anna, boris]))
    }
    try await view.saveSignIn()
    #expect(try await view.removeAccountMetadata(homeAccountID: anna.identifier))
    #expect(try await !view.removeAccountMetadata(homeAccountID: anna.identifier))
    let left = try await view.accountMetadata(matching: .accountMetadata())
    #expect(left.map(\.homeAccountIDs) == [[boris.identifier], [boris.identifier]])
    #expect(left.allSatisfy { $0[boris.identifier]?.authorityURL(for: common) == tenant })
    #expect(try await view.credentials(matching: .items()).count == 3)
  }

  @Test("A client's metadata are removed by their key, and no other client's")
  func removesClient() async throws {
    let view = try group.view()
    for client in [SharedGroup.suite, SharedGroup.office] {
      try await view.save(try Sample.accountMetadata(client))
    }
    try await view.saveSignIn()
    #expect(try await view.removeAccountMetadata(key))
    #expect(try await !view.removeAccountMetadata(key))
    #expect(try await view.accountMetadata(matching: .items()).map(\.clientID) == [SharedGroup.office])
    #expect(try await view.credentials(matching: .items()).count == 3)
  }
}
