// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import KeychainItems
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain view: tombstones")
struct KeychainViewTombstoneTests {
  private typealias Sample = KeychainViewSample

  private let group = SharedGroup()

  private func storeTombstone(family: Bool = false, beside: [CredentialEntry] = []) async throws
    -> KeychainItemKey
  {
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

  @Test("A read by key or query skips a tombstone and removes it", arguments: [true, false])
  func skipped(byKey: Bool) async throws {
    let view = try group.view()
    let token = try Sample.credential(.accessToken, "at")
    let key = try await storeTombstone(beside: [token])
    if byKey {
      #expect(try await view.credential(for: key) == nil)
    } else {
      #expect(try await view.credentials(matching: .items()) == [token])
    }
    #expect(try await group.document()?.credentials == [token])
  }

  @Test("A family's record with only a tombstone is removed with it")
  func family() async throws {
    _ = try await storeTombstone(family: true)
    #expect(try await group.view().credentials(matching: .items()) == [])
    #expect(try await group.familyDocument() == nil)
  }

  @Test("Removing a tombstone records no wipe note")
  func notRemoved() async throws {
    let view = try group.view()
    let key = try await storeTombstone()
    #expect(try await !view.removeCredential(key))
    #expect(try await view.wipeInfo() == nil)
  }

  @Test("A tombstone is skipped even if it cannot be removed")
  func readOnly() async throws {
    let key = try await storeTombstone()
    let failing = FailingBackend(inner: group.backend, writeError: SecretStoreError(.storageFailed, ""))
    let view = try group.view(through: failing)
    #expect(try await view.credential(for: key) == nil)
    #expect(try await group.document()?.credentials.count == 1)
  }

  @Test("Saving a tombstone throws invalidArgument")
  func saved() async throws {
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await group.view().save(try Sample.credential(.refreshToken, "<tombstone>"))
    }
    #expect(try await group.stored().isEmpty)
  }
}
