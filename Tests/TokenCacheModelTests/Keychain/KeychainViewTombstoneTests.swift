// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("What stands in the place of removed credentials")
struct KeychainViewTombstoneTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()

  private func plant(family: Bool = false, beside: [CredentialEntry] = []) async throws -> KeychainItemKey {
    let entry = try Sample.credential(
      .refreshToken, "<tombstone>", of: .anna, ["family_id": family ? "1" : .null])
    try await group.backend.update(family ? SharedGroup.familyKey() : SharedGroup.key()) { stored in
      var document = stored ?? CacheDocument()
      document.put(entry)
      for other in beside { document.put(other) }
      stored = document
    }
    return KeychainItemKey(of: entry)
  }

  @Test("It is skipped and removed on sight, by key and by query", arguments: [true, false])
  func skipped(byKey: Bool) async throws {
    let view = try group.view()
    let token = try Sample.credential(.accessToken, "at")
    let key = try await plant(beside: [token])
    if byKey {
      #expect(try await view.credential(for: key) == nil)
    } else {
      #expect(try await view.credentials(matching: .items()) == [token])
    }
    #expect(try await group.document()?.credentials == [token])
  }

  @Test("A family's record that held nothing else goes with it")
  func family() async throws {
    _ = try await plant(family: true)
    #expect(try await group.view().credentials(matching: .items()) == [])
    #expect(try await group.familyDocument() == nil)
  }

  @Test("Removing it is removing nothing: there is no note of it")
  func notRemoved() async throws {
    let view = try group.view()
    let key = try await plant()
    #expect(try await !view.removeCredential(key))
    #expect(try await view.wipeInfo() == nil)
  }

  @Test("It is passed over even when it can't be removed")
  func readOnly() async throws {
    let key = try await plant()
    let failing = FailingBackend(inner: group.backend, writeError: SecretStoreError(.storageFailed, ""))
    let view = try group.view(through: failing)
    #expect(try await view.credential(for: key) == nil)
    #expect(try await group.document()?.credentials.count == 1)
  }

  @Test("Nobody saves one")
  func saved() async throws {
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await group.view().save(try Sample.credential(.refreshToken, "<tombstone>"))
    }
    #expect(try await group.stored().isEmpty)
  }
}
