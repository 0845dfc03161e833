// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
import Synchronization
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("A new refresh token is saved, or handed to the caller")
struct PersistentSaveTests {
  private let group = SharedGroup()
  private let log = CapturedLog()
  private let anna = TestUser.anna

  private func mail(through backend: (any TokenCacheBackend)? = nil) throws -> TokenCache {
    try group.app("mail", through: backend) { $0.logger = log.logger }
  }

  @Test(
    "A save that fails for a moment is tried again",
    arguments: [
      .storageFailed, .serviceUnavailable, .timedOut, .lockTimedOut, .groupLocked,
    ] as [SecretStoreError.Code], [nil, "1"] as [String?])
  func savedAgain(code: SecretStoreError.Code, family: String?) async throws {
    for failures in 1...2 {
      let account = try await mail().signIn(anna.response(1, family: family))
      await group.endpoint.response(anna.response(2, family: family))
      let left = Countdown(failures)
      let failing = FailingBackend(inner: group.backend) {
        if left.takeOne() { throw SecretStoreError(code, "It is busy.") }
      }
      let result = try await refresh(mail(through: failing), account)
      #expect(result.accessToken == "at-2" && result.saveError == nil)
      let saved = family == nil ? try await group.document() : try await group.familyDocument()
      #expect(saved?.secrets(.refreshToken) == ["rt-2"])
    }
    #expect(log.lines.allSatisfy { $0.level < .warning })
  }

  @Test("When it can't be stored, the caller gets the response, and can save it later")
  func responseOfFailedSave() async throws {
    let account = try await mail().signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    let failure = SecretStoreError(.storageFailed, "The disk is full.")
    let failing = try mail(through: FailingBackend(inner: group.backend, writeError: failure))
    let result = try await refresh(failing, account)
    #expect(result.saveError == failure)
    try await mail().save(try #require(result.response), scopes: ["mail.read"])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("An attempt that took all of the time is followed by one more, and no third", arguments: [1, 2])
  func slowAttempts(failures: Int) async throws {
    let left = Countdown(failures)
    let error = try await code {
      try await PersistentSave.run(in: InMemoryBackend(), retryingAfter: .zero, until: .milliseconds(50)) {
        try await Task.sleep(for: .milliseconds(100))
        if left.takeOne() { throw SecretStoreError(.timedOut, "It is busy.") }
      }
    }
    #expect(error == (failures == 1 ? nil : .timedOut))
    #expect(!left.takeOne())
  }

  @Test("A save waits between its attempts although its task is cancelled")
  func waitsWhenCancelled() async throws {
    let left = Countdown(2)
    let start = ContinuousClock.now
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await PersistentSave.run(in: InMemoryBackend(), retryingAfter: .milliseconds(100)) {
        if left.takeOne() { throw SecretStoreError(.storageFailed, "It is busy.") }
      }
    }
    task.cancel()
    try await task.value
    #expect(start.duration(to: .now) >= .milliseconds(200))
  }

  /// Responses that have no token for the call.
  private static let unusable: [(changes: JSONObject, code: SecretStoreError.Code)] = [
    (["access_token": .null], .serverError), (["token_type": "pop"], .serverError),
    (["scope": "openid"], .declinedScopes),
  ]

  @Test(
    "When it can't be stored, an error has the response, too, although nothing can be read by then",
    arguments: unusable)
  func responseInError(changes: JSONObject, code: SecretStoreError.Code) async throws {
    let account = try await mail().signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, changing: changes))
    let failure = SecretStoreError(.storageFailed, "The disk is full.")
    let reads = Countdown(0)
    await group.endpoint.beforeResponding { reads.add(100) }
    var backend = FailingBackend(inner: group.backend, writeError: failure)
    backend.beforeReading = { if reads.takeOne() { throw SecretStoreError(.timedOut, "It is busy.") } }
    let failing = try mail(through: backend)
    let error = await #expect(throws: SecretStoreError(code, "")) { try await refresh(failing, account) }
    let response =
      (error?.underlying as? TokenResult.Unsaved)?.response
      ?? (error?.underlying as? DeclinedScopes)?.result?.response
    #expect(response?.refreshToken == "rt-2")
  }

  @Test(
    "An ADAL app saves it in both formats, although the group can't be read for a moment", arguments: 1...6)
  func savedByADAL(failures: Int) async throws {
    try await group.adal("old").signIn(anna.adalResponse(1))
    group.clock.advance(by: 3600)
    await group.endpoint.response(anna.adalResponse(2))
    let left = Countdown(0)
    await group.endpoint.beforeResponding { left.add(failures) }
    var backend = FailingBackend(inner: group.backend)
    backend.beforeReading = { if left.takeOne() { throw SecretStoreError(.timedOut, "It is busy.") } }
    let result = try await group.adal("old", through: backend).acquireTokenSilent(resource: SharedGroup.graph)
    #expect(result.accessToken == "at-2" && result.saveError == nil)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
    let stored = try await group.legacyItems().compactMap(\.refreshToken)
    #expect(stored == ["rt-2"])
  }

  @Test("When an ADAL app can't store it, the result has the response, and the error without a token, too")
  func responseOfADAL() async throws {
    try await group.adal("old").signIn(anna.adalResponse(1))
    group.clock.advance(by: 3600)
    let failure = SecretStoreError(.storageFailed, "The disk is full.")
    let failing = FailingBackend(inner: group.backend, writeError: failure)
    let adal = try group.adal("old", through: failing)
    await group.endpoint.response(anna.adalResponse(2))
    let result = try await adal.acquireTokenSilent(resource: SharedGroup.graph)
    #expect(result.saveError == failure && result.response?.refreshToken == "rt-2")
    await group.endpoint.response(anna.adalResponse(3, changing: ["access_token": .null]))
    let error = await #expect(throws: SecretStoreError(.serverError, "")) {
      try await adal.acquireTokenSilent(resource: SharedGroup.graph)
    }
    #expect((error?.underlying as? TokenResult.Unsaved)?.response.refreshToken == "rt-3")
  }

  @Test(
    "In a full record expired access tokens make room, the oldest first, or else the response's own go",
    arguments: [true, false])
  func fullRecord(hasExpired: Bool) async throws {
    let account = try await mail().signIn(anna.response(1))
    let long = String(repeating: "x", count: 2_000)
    let now = Int(group.clock.now().timeIntervalSince1970)
    try await group.backend.update(SharedGroup.key()) { [anna] stored in
      var tokens: JSONObject = [:]
      for number in 0..<680 {
        let expiry = hasExpired ? now - 3600 * (number + 1) : now + 3600
        tokens["\(number)"] = .object([
          "credential_type": "AccessToken", "home_account_id": .string(anna.identifier),
          "environment": "login.microsoftonline.com", "client_id": .string(SharedGroup.suite),
          "realm": .string(anna.utid), "target": .string("files.\(number)"),
          "secret": .string("\(number)\(long)"), "expires_on": .string("\(expiry)"),
        ])
      }
      stored?[.accessToken] = tokens
    }
    await group.endpoint.response(anna.response(2, changing: ["access_token": .string("at-2\(long)")]))
    #expect(try await refresh(mail(), account).saveError == nil)
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken) == ["rt-2"])
    #expect(document.serialized().count < CacheDocument.maximumBytes)
    let tokens = document.secrets(.accessToken)
    #expect(tokens.contains("at-2\(long)") == hasExpired)
    if hasExpired {
      #expect(tokens.contains("0\(long)") && !tokens.contains("679\(long)"))
    } else {
      #expect(tokens.count > 650)
    }
  }

  @Test(
    "In a record that is full of what is valid, access tokens make room for a larger refresh token",
    arguments: [nil, "1"])
  func fullOfValidTokens(family: String?) async throws {
    let account = try await mail().signIn(anna.response(1, family: family))
    let now = Int(group.clock.now().timeIntervalSince1970)
    let key = family == nil ? SharedGroup.key() : SharedGroup.familyKey()
    try await group.backend.update(key) { [anna] stored in
      var tokens: JSONObject = [:]
      for number in 0..<3 {
        tokens["\(number)"] = .object([
          "credential_type": "AccessToken", "home_account_id": .string(anna.identifier),
          "environment": "login.microsoftonline.com", "client_id": .string(SharedGroup.suite),
          "realm": .string(anna.utid), "target": .string("files.\(number)"),
          "secret": .string("\(number)" + String(repeating: "x", count: 480_000)),
          "expires_on": .string("\(now + 3600 * (number + 2))"),
        ])
      }
      stored?[.accessToken] = tokens
    }
    let large = "rt-2" + String(repeating: "x", count: 300_000)
    await group.endpoint.response(
      anna.response(2, family: family, changing: ["refresh_token": .string(large)]))
    #expect(try await refresh(mail(), account).saveError == nil)
    let document = try #require(try await group.backend.record(for: key)?.document())
    #expect(document.secrets(.refreshToken) == [large])
    #expect(Set(document.secrets(.accessToken).map { $0.first }) == ["1", "2"])
  }
}

/// A count from which tasks take.
private final class Countdown: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  func add(_ count: Int) { left.withLock { $0 += count } }

  func takeOne() -> Bool {
    left.withLock { left in
      if left == 0 { return false }
      left -= 1
      return true
    }
  }
}
