// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: redaction")
struct KeychainViewRedactionTests {
  private typealias Sample = KeychainViewSample

  private func expectNoMarker<Subject>(
    _ subject: Subject, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    RedactionProbe.expectNone(of: ["hunter2"], in: subject, sourceLocation: sourceLocation)
  }

  @Test("Metadata, states, principals, searches and the view show no content")
  func values() async throws {
    let group = SharedGroup()
    let view = try group.view()
    var metadata = KeychainAccountMetadata(clientID: "hunter2")
    var state = KeychainAccountState()
    try state.setAuthorityURL("https://hunter2", for: "https://id.contoso.com")
    metadata["hunter2@contoso.com"] = state
    let principal = KeychainPrincipalAccount(
      homeAccountID: "hunter2", username: "hunter2", environment: "hunter2")
    metadata.principal = principal
    try await view.save(metadata)
    try await view.save(try Sample.credential(.refreshToken, "hunter2"))
    let key = KeychainItemKey(account: "hunter2", service: "hunter2", generic: "hunter2")
    try await view.save(["hunter2": "hunter2"], for: key)
    expectNoMarker(metadata)
    expectNoMarker(state)
    expectNoMarker(principal)
    expectNoMarker(view)
    expectNoMarker(KeychainItemQuery.items(account: "hunter2"))
    expectNoMarker(try await view.jsonObjects(matching: .items()))
    expectNoMarker(try await view.credentials(matching: .items()))
    expectNoMarker(try await view.search(.items()) as KeychainSearch<CredentialEntry>)
    expectNoMarker(try #require(try KeychainObject(in: try await group.object(key))))
  }

  @Test("No error shows the refused value")
  func errors() async throws {
    let view = try SharedGroup().view()
    for id in ["hunter2 ", " hunter2"] {
      let error = await #expect(throws: SecretStoreError.self) {
        try await view.save(try Sample.account(.anna, ["home_account_id": .string(id)]))
      }
      expectNoMarker(try #require(error))
    }
    let key = KeychainItemKey(account: "hunter2", service: "hunter2", type: 2001)
    let error = await #expect(throws: SecretStoreError.self) { try await view.jsonObject(for: key) }
    expectNoMarker(try #require(error))
  }
}

extension SharedGroup {
  fileprivate func object(_ key: KeychainItemKey) async throws -> CacheDocument? {
    try await backend.record(for: KeychainObject.record(of: key))?.document()
  }
}
