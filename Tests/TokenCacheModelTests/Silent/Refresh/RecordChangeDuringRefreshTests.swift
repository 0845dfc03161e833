// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Record changes during a refresh")
struct RecordChangeDuringRefreshTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  private func office(_ app: String = "word") throws -> TokenCache {
    try group.app(app, client: SharedGroup.office)
  }

  @Test("A group wiped during a family's refresh stays empty")
  func wipeResurrect() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(2))
    let group = group
    await group.endpoint.beforeResponding {
      try await AccountDirectory(backend: group.backend).removeEverything(recordedAs: "x", clock: group.clock)
    }
    _ = try? await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(try await AccountDirectory(backend: group.backend).accounts().isEmpty)
  }

  @Test("An account signed out everywhere during a family's refresh stays signed out")
  func everywhereResurrect() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(2))
    let group = group
    await group.endpoint.beforeResponding {
      try await AccountDirectory(backend: group.backend).signOut(account)
    }
    _ = try? await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(try await AccountDirectory(backend: group.backend).accounts().isEmpty)
  }

  @Test("A group replaced by an empty file during a family's refresh stays empty", arguments: [nil, "1"])
  func replaceResurrect(family: String?) async throws {
    let account = try await group.app("mail").signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(2, family: family))
    let group = group
    await group.endpoint.beforeResponding {
      var options = ImportOptions(); options.replaces = true
      _ = try await CacheTransfer(backend: group.backend).importUnified(Array("{}".utf8), options: options)
    }
    _ = try? await group.app("word", client: SharedGroup.office).acquireTokenSilent(
      scopes: ["mail.read"], account: account)
    let left = try await AccountDirectory(backend: group.backend).accounts()
    #expect(left.isEmpty, "\(left)")
  }

  @Test("An account that was deleted and signed in again during the refresh remains")
  func deletedCompare() async throws {
    let account = try await suite().signIn(anna.response(1))
    await group.endpoint.refuse("user_account_deleted")
    let (group, anna) = (group, anna)
    await group.endpoint.beforeResponding { try await group.app("calendar").signIn(anna.response(2)) }
    #expect(try await refresh(suite(), account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A client that signs in during the removal of the family's record keeps its token")
  func removeFamilyRace() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    let office = try office(), anna = anna
    let mail = try group.app(
      "mail",
      through: WatchedBackend(
        inner: group.backend,
        beforeUpdate: { key in
          if key.kind == .family { try await office.signIn(anna.response(5, family: "1")) }
        }))
    try await mail.signOut(account)
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-5"])
  }

  @Test("A discovery during a refresh loses no entry")
  func learnDuringRefresh() async throws {
    let old = try group.app("mail", at: "old.sovereign.example")
    let account = try await old.signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    await group.endpoint.beforeResponding { try await old.learn(.sovereign) }
    let r = try? await old.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(r?.accessToken == "at-2")
    let left = try await group.backend.records(matching: .all(.credentials)).flatMap {
      try $0.document().secrets(.refreshToken)
    }
    #expect(left == ["rt-2"])
  }
}
