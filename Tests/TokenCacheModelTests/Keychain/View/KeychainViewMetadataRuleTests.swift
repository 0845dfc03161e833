// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: owner of account metadata")
struct KeychainViewMetadataRuleTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let key = KeychainItemKey(accountMetadataOf: SharedGroup.suite)

  @Test("Blank IDs throw invalidArgument, and nothing is written", arguments: ["", " ", "\n"])
  func blank(_ blank: String) async throws {
    let view = try group.view()
    var named = KeychainAccountMetadata(clientID: SharedGroup.suite)
    named[blank] = KeychainAccountState()
    var principal = KeychainAccountMetadata(clientID: SharedGroup.suite)
    principal.principal = KeychainPrincipalAccount(homeAccountID: blank)
    for metadata in [KeychainAccountMetadata(clientID: blank), named, principal] {
      await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.save(metadata) }
    }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await view.accountMetadata(for: KeychainItemKey(accountMetadataOf: blank))
    }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await view.removeAccountMetadata(KeychainItemKey(accountMetadataOf: blank))
    }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await view.removeAccountMetadata(homeAccountID: blank)
    }
    #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try KeychainAccountMetadata(fields: ["client_id": .string(blank)])
    }
    #expect(throws: SecretStoreError(.invalidArgument, "")) {
      var state = KeychainAccountState()
      try state.setAuthorityURL(blank, for: "https://id.contoso.com")
    }
    #expect(try await group.stored().isEmpty)
  }

  @Test("Only an app is signed in or out, or has a principal account")
  func withoutApp() async throws {
    let view = try group.view(nil)
    var metadata = KeychainAccountMetadata(clientID: SharedGroup.suite)
    metadata[anna.identifier] = KeychainAccountState()
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.save(metadata) }
    metadata[anna.identifier]?.signInState = nil
    metadata.principal = KeychainPrincipalAccount(homeAccountID: anna.identifier)
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await view.save(metadata) }
    #expect(try await group.stored().isEmpty)
    metadata.principal = nil
    try await view.save(metadata)
    #expect(try await view.accountMetadata(for: key) == metadata)
    #expect(try await group.document() == nil)
  }

  @Test("A key of another item finds no account metadata")
  func otherKeys() async throws {
    let view = try group.view()
    try await group.app("mail").signIn(anna.response())
    #expect(try await view.accountMetadata(for: key) != nil)
    for other in [
      KeychainItemKey(account: "a", service: key.service, type: 5001),
      KeychainItemKey(account: key.account, service: key.service, type: 3001),
      KeychainItemKey(account: key.account, service: key.service, generic: "g", type: 5001),
    ] {
      #expect(try await view.accountMetadata(for: other) == nil)
      #expect(try await !view.removeAccountMetadata(other))
    }
    #expect(try await view.accountMetadata(for: key) != nil)
  }

  @Test("Azure AD's IDs ignore case; others do not")
  func cases() throws {
    var metadata = KeychainAccountMetadata(clientID: "client")
    metadata[anna.identifier.uppercased()] = KeychainAccountState()
    #expect(metadata[anna.identifier]?.signInState == .signedIn)
    metadata[anna.identifier]?.signInState = .signedOut
    #expect(metadata.homeAccountIDs == [anna.identifier.uppercased()])
    metadata["ada"] = KeychainAccountState()
    #expect(metadata["Ada"] == nil)
    metadata["ada"] = nil
    #expect(metadata.homeAccountIDs.count == 1)
  }

  @Test("Outside Azure AD an ID belongs to the provider in the view's environment")
  func environments() async throws {
    let person = TestUser(uid: "", utid: "", username: "ada@contoso.com")
    let hosts = ["https://id.contoso.com", "https://id.fabrikam.com"]
    for host in hosts {
      try await group.app("mail", authority: host).signIn(person.openIDResponse())
    }
    let views = try hosts.map {
      KeychainView(backend: group.backend, app: try SharedGroup.id("mail"), environment: $0)
    }
    var metadata = try #require(try await views[0].accountMetadata(for: key))
    #expect(metadata.homeAccountIDs == ["ada@contoso.com"])
    metadata["ada@contoso.com"]?.signInState = .signedOut
    try await views[0].save(metadata)
    let states = [
      try await views[0].accountMetadata(for: key)?["ada@contoso.com"]?.signInState,
      try await views[1].accountMetadata(for: key)?["ada@contoso.com"]?.signInState,
    ]
    #expect(states == [.signedOut, .signedIn])
    #expect(try await group.view().accountMetadata(for: key)?["ada@contoso.com"]?.signInState == nil)
    for host in hosts {
      let accounts = try await group.app("mail", authority: host).accounts()
      #expect(accounts.map(\.environment) == (host == hosts[0] ? [] : [host]))
    }
  }

  @Test("An Azure AD account in another cloud is found whatever the view's environment")
  func otherCloud() async throws {
    let mail = try group.app("mail", authority: "https://login.microsoftonline.us/common")
    let account = try await mail.signIn(anna.response())
    let view = try group.view()
    var metadata = try #require(try await view.accountMetadata(for: key))
    metadata[anna.identifier]?.signInState = .signedOut
    try await view.save(metadata)
    #expect(try await mail.signInState(of: account) == .signedOut)
    #expect(try await view.removeAccountMetadata(homeAccountID: anna.identifier))
    #expect(try await mail.signInState(of: account) == nil)
  }

  @Test("An authority that maps to itself is not recorded; any other means that the account is signed in")
  func authorities() throws {
    var state = KeychainAccountState(fields: ["sign_in_state": "unknown"])
    try state.setAuthorityURL("https://a", for: "https://a")
    #expect(state.fields == ["sign_in_state": "unknown"])
    try state.setAuthorityURL("https://a", for: "https://b")
    #expect(state.signInState == .signedIn)
    #expect(state.authorityURL(for: "https://b") == "https://a")
    #expect(state.authorityURL(for: "https://b", isInstanceAware: true) == nil)
    state.signInState = .signedOut
    #expect(state.authorityURL(for: "https://b") == nil)
    try state.setAuthorityURL("https://d", for: "https://c")
    #expect(state.authorityURL(for: "https://b") == nil)
    #expect(state.authorityURL(for: "https://c") == "https://d")
    #expect(
      state.fields == [
        "sign_in_state": "signed_in", "athority_map": ["URLMap-": ["https://c": "https://d"]],
      ])
  }
}
