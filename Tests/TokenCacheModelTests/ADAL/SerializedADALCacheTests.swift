// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Synchronization
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Serialized ADAL cache")
struct SerializedADALCacheTests {
  /// A blob in memory, which records the notifications.
  private final class Blob: SerializedADALCacheDelegate {
    struct Failed: Error {}

    let bytes: Mutex<[UInt8]>
    let log = RecordedCalls()
    let fails: Bool

    init(_ tokens: [ADALToken] = [], fails: Bool = false) throws {
      bytes = Mutex(try ADALFile(tokens: tokens).serialized(as: .objc).bytes)
      self.fails = fails
    }

    var tokens: [ADALToken] { get throws { try ADALFile(parsing: bytes.withLock { $0 }, as: .objc).tokens } }

    private func load(_ cache: SerializedADALCache) async throws {
      if fails { throw Failed() }
      try await cache.load(bytes.withLock { $0 })
    }

    func willAccess(_ cache: SerializedADALCache) async throws {
      log.add("willAccess")
      try await load(cache)
    }

    func didAccess(_ cache: SerializedADALCache) async throws { log.add("didAccess") }

    func willWrite(_ cache: SerializedADALCache) async throws {
      log.add("willWrite")
      try await load(cache)
    }

    func didWrite(_ cache: SerializedADALCache) async throws {
      log.add("didWrite")
      let serialized = try await cache.serialized()
      bytes.withLock { $0 = serialized }
    }
  }

  private let group = SharedGroup()

  private func backend(_ blob: Blob) -> SerializedADALBackend {
    SerializedADALBackend(over: group.backend, cache: SerializedADALCache(), delegate: blob)
  }

  private func token(_ secret: String, age: TimeInterval = 0) -> ADALToken {
    var token = TestUser.anna.legacyRefreshToken(secret)
    token.cachedAt = TestClock.start - age
    return token
  }

  @Test("A sign-in in the blob is listed and migrated into the group")
  func reusesSignIn() async throws {
    let blob = try Blob([token("blob's")])
    let mail = try group.app("mail", through: backend(blob))
    let account = try #require(try await mail.account())
    await group.endpoint.response(TestUser.anna.response(2))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["blob's"])
    #expect(try await group.app("other").accounts().map(\.username) == ["anna@contoso.com"])
  }

  @Test("An app's save is in the blob and in the group")
  func saved() async throws {
    let blob = try Blob()
    let mail = try group.adal("mail", .ownFormat, through: backend(blob))
    try await mail.signIn(TestUser.anna.adalResponse())
    #expect(try blob.tokens.count == 2)
    #expect(try await group.adal("other", .ownFormat).users().map(\.userID) == ["anna@contoso.com"])
    try await mail.signOut(userID: "anna@contoso.com")
    #expect(try blob.tokens.isEmpty)
    #expect(try await group.adal("other", .ownFormat).users().isEmpty)
  }

  @Test("The newer of two copies counts", arguments: [(0, 60, "blob's"), (60, 0, "group's")])
  func younger(ageOfBlob: TimeInterval, ageOfGroup: TimeInterval, expected: String) async throws {
    try await group.store(token("group's", age: ageOfGroup))
    let mail = try group.adal(
      "mail", .ownFormat, through: backend(try Blob([token("blob's", age: ageOfBlob)])))
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph)
    #expect(await group.endpoint.requests.map(\.refreshToken) == [expected])
  }

  @Test("A user signed out in the group does not return through the blob")
  func signedOut() async throws {
    try await group.store(token("group's"), for: "mail")
    try await group.adal("mail", .ownFormat).signOut(userID: "anna@contoso.com")
    let mail = try group.adal("mail", .ownFormat, through: backend(try Blob([token("blob's", age: -60)])))
    #expect(try await mail.users().isEmpty)
  }

  @Test("The delegate is called before and after each access and each change")
  func delegateCalls() async throws {
    let blob = try Blob([token("blob's")])
    let backend = backend(blob)
    _ = try await backend.records(matching: .all(.legacy))
    _ = try await backend.record(for: .legacy(token("")))
    try await backend.remove(.legacy(token("")))
    _ = try await backend.records(matching: .all(.credentials))
    #expect(
      blob.log.all == [
        "willAccess", "didAccess", "willAccess", "didAccess", "willWrite", "didWrite",
      ])
    #expect(try blob.tokens.isEmpty)
  }

  @Test("The delegate is called at the end of a failed access, too")
  func calledAfterFailure() async throws {
    let blob = try Blob([token("blob's")])
    let failing = FailingBackend(
      inner: group.backend, writeError: SecretStoreError(.storageFailed, "The disk is full."))
    let backend = SerializedADALBackend(over: failing, cache: SerializedADALCache(), delegate: blob)
    await #expect(throws: SecretStoreError.self) { try await backend.remove(.legacy(token(""))) }
    #expect(blob.log.all == ["willWrite", "didWrite"])
    #expect(try blob.tokens.count == 1)
  }

  @Test("The blob has all concurrent changes")
  func together() async throws {
    let blob = try Blob()
    let backend = backend(blob)
    try await withThrowingTaskGroup { tasks in
      for number in 0..<20 {
        tasks.addTask {
          var token = token("rt-\(number)")
          token.userID = "user\(number)@contoso.com"
          let stored = token
          try await backend.update(.legacy(stored)) { document in
            document = CacheDocument()
            document?.adalToken = stored
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(try blob.tokens.count == 20)
    #expect(try await group.legacyItems().count == 20)
  }

  @Test("A blob that cannot be loaded throws an error and changes nothing")
  func failing() async throws {
    let mail = try group.adal("mail", .ownFormat, through: backend(try Blob(fails: true)))
    await #expect(throws: Blob.Failed.self) { try await mail.users() }
    await #expect(throws: Blob.Failed.self) { try await mail.signIn(TestUser.anna.adalResponse()) }
    #expect(try await group.stored().isEmpty)
    let cache = SerializedADALCache()
    await #expect(throws: SecretStoreError.self) { try await cache.load(Array("no archive".utf8)) }
  }
}
