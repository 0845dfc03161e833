// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Synchronization
import Testing

@testable import TokenCacheModel

@Suite("An app that keeps its own blob joins a group")
struct SerializedADALCacheTests {
  /// A blob in memory, which notes what it is told.
  private final class Blob: SerializedADALCacheDelegate {
    struct Failed: Error {}

    let bytes: Mutex<[UInt8]>
    let log = CallLog()
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
    var token = Person.anna.legacyRefreshToken(secret)
    token.cachedAt = TestClock.start - age
    return token
  }

  @Test("A sign-in in the blob is in the list, and is taken up into the group")
  func takenUp() async throws {
    let blob = try Blob([token("blob's")])
    let mail = try group.app("mail", through: backend(blob))
    let account = try #require(try await mail.account())
    await group.endpoint.answer(Person.anna.answer(2))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["blob's"])
    #expect(try await group.app("other").accounts().map(\.username) == ["anna@contoso.com"])
  }

  @Test("What the app saves is in the blob and in the group")
  func saved() async throws {
    let blob = try Blob()
    let mail = try group.adal("mail", .ownFormat, through: backend(blob))
    try await mail.signIn(Person.anna.adalAnswer())
    #expect(try blob.tokens.count == 2)
    #expect(try await group.adal("other", .ownFormat).users().map(\.userID) == ["anna@contoso.com"])
    try await mail.signOut(userID: "anna@contoso.com")
    #expect(try blob.tokens.isEmpty)
    #expect(try await group.adal("other", .ownFormat).users().isEmpty)
  }

  @Test("Of two copies the younger counts", arguments: [(0, 60, "blob's"), (60, 0, "group's")])
  func younger(ageOfBlob: TimeInterval, ageOfGroup: TimeInterval, expected: String) async throws {
    try await group.plant(token("group's", age: ageOfGroup))
    let mail = try group.adal(
      "mail", .ownFormat, through: backend(try Blob([token("blob's", age: ageOfBlob)])))
    await group.endpoint.answer(Person.anna.adalAnswer(2))
    _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph)
    #expect(await group.endpoint.requests.map(\.refreshToken) == [expected])
  }

  @Test("What was signed out in the group does not come back through the blob")
  func signedOut() async throws {
    try await group.plant(token("group's"), for: "mail")
    try await group.adal("mail", .ownFormat).signOut(userID: "anna@contoso.com")
    let mail = try group.adal("mail", .ownFormat, through: backend(try Blob([token("blob's", age: -60)])))
    #expect(try await mail.users().isEmpty)
  }

  @Test("The app is told before and after each access and each change")
  func told() async throws {
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

  @Test("The app is told of the end of an access that failed, too: it may keep others waiting")
  func toldOfFailures() async throws {
    let blob = try Blob([token("blob's")])
    let failing = FailingBackend(
      inner: group.backend, writeError: SecretStoreError(.storageFailed, "The disk is full."))
    let backend = SerializedADALBackend(over: failing, cache: SerializedADALCache(), delegate: blob)
    await #expect(throws: SecretStoreError.self) { try await backend.remove(.legacy(token(""))) }
    #expect(blob.log.all == ["willWrite", "didWrite"])
    #expect(try blob.tokens.count == 1)
  }

  @Test("Changes that come together are all in the blob")
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

  @Test("A blob that can't be loaded is an error, and nothing is changed")
  func failing() async throws {
    let mail = try group.adal("mail", .ownFormat, through: backend(try Blob(fails: true)))
    await #expect(throws: Blob.Failed.self) { try await mail.users() }
    await #expect(throws: Blob.Failed.self) { try await mail.signIn(Person.anna.adalAnswer()) }
    #expect(try await group.stored().isEmpty)
    let cache = SerializedADALCache()
    await #expect(throws: SecretStoreError.self) { try await cache.load(Array("no archive".utf8)) }
  }
}
