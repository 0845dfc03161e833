// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
import Testing
import TokenCacheContract

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Token result cache")
struct TokenResultCacheTests {
  private let group = SharedGroup()
  private let backend: KeepingBackend
  private let account: Account

  init() async throws {
    backend = KeepingBackend(inner: group.backend)
    account = try await group.app("mail").signIn(TestUser.anna.response(1))
    _ = try await group.app("mail", through: backend).acquireTokenSilent(parameters)
  }

  private var parameters: SilentParameters { SilentParameters(scopes: ["mail.read"], account: account) }

  /// The number of records that a call reads, whether it succeeds or fails.
  private func reads(
    _ app: String = "mail", authority: String = SharedGroup.azure,
    _ change: (inout SilentParameters) -> Void = { _ in },
    options: (inout TokenCacheOptions) -> Void = { _ in }
  ) async throws -> Int {
    var parameters = parameters
    change(&parameters)
    let before = backend.reads
    let cache = try group.app(app, authority: authority, through: backend, isOnline: false, options)
    _ = try? await cache.acquireTokenSilent(parameters)
    return backend.reads - before
  }

  @Test("It returns a result again without reading the record")
  func again() async throws {
    #expect(try await reads() == 0)
    let result = try await group.app("mail", through: backend).acquireTokenSilent(parameters)
    #expect(result.accessToken == "at-1")
    #expect(result.source == .cache)
    #expect(result.idToken == TestUser.anna.idToken)
  }

  @Test("It returns the account that the caller has")
  func account() async throws {
    let known = Account(
      identifier: account.identifier, username: "anna@new.example", environment: account.environment)
    let result = try await group.app("mail", through: backend).acquireTokenSilent(
      scopes: ["MAIL.read"], account: known)
    #expect(result.account.username == "anna@new.example")
    #expect(backend.reads == 1)
  }

  @Test("It returns a result while the token is fresh, to the second", arguments: [-2, 0, 3299, 3300, 3301])
  func time(seconds: Double) async throws {
    group.clock.advance(by: seconds)
    #expect(try await reads() == 0 || !(-1..<3300).contains(seconds))
    #expect(try await reads() > 0 || (-1..<3300).contains(seconds))
  }

  @Test("It does not return a token that should be refreshed")
  func refreshDue() async throws {
    _ = try await group.app("mail", through: backend).signIn(
      TestUser.anna.response(2, changing: ["refresh_in": 600]))
    _ = try await reads()
    #expect(try await reads() == 0)
    group.clock.advance(by: 601)
    #expect(try await reads() > 0)
  }

  @Test(
    "It does not return a result for another request",
    arguments: [
      { $0.scopes = ["files.read"] }, { $0.scopes = ["mail.read", "files.read"] }, { $0.forceRefresh = true },
      { $0.claims = "{}" }, { $0.tenant = "contoso.com" },
      { $0.authority = try? Authority("https://login.microsoftonline.com/organizations") },
      { $0.scheme = AccessTokenScheme(tokenType: "pop", keyID: "k") },
    ] as [@Sendable (inout SilentParameters) -> Void])
  func otherRequest(change: @Sendable (inout SilentParameters) -> Void) async throws {
    #expect(try await reads("mail", change) > 0)
  }

  @Test("It does not return a result to another app, for another authority or with other options")
  func otherCache() async throws {
    #expect(try await reads("calendar") > 0)
    #expect(try await reads(authority: "https://login.microsoftonline.com/contoso.com") > 0)
    #expect(try await reads(options: { $0.expiryBuffer = 3599 }) > 0)
    #expect(try await reads(options: { $0.applicationIdentifier = "com.contoso.managed" }) > 0)
  }

  @Test("It drops its results with the record, and a signed-out app gets the error")
  func signedOut() async throws {
    let mail = try group.app("mail", through: backend)
    try await mail.signOut(account)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(parameters)
    }
  }

  @Test("It returns nothing to a cancelled task")
  func cancelled() async throws {
    let mail = try group.app("mail", through: backend)
    let parameters = parameters
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await mail.acquireTokenSilent(parameters)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("It is bypassed while the log is enabled, so that each line is logged")
  func logged() async throws {
    let log = CapturedLog()
    #expect(try await reads(options: { $0.logger = log.logger }) == 1)
    #expect(log.lines.map(\.message) == ["begins", "has read the cache", "ends"])
  }

  @Test("It drops the oldest results beyond its limit, and has each once")
  func many() async throws {
    let results = TokenResultCache()
    let cache = try group.app("mail")
    let result = try await cache.acquireTokenSilent(parameters)
    let keys = (0..<9).compactMap { number in
      var parameters = parameters
      parameters.tenant = "tenant-\(number)"
      return TokenResultCacheKey(parameters, of: cache)
    }
    let now = group.clock.now()
    for _ in 0..<2 {
      for key in keys { results.remember(result, for: key, while: now..<(now + 1)) }
    }
    #expect(results.result(for: keys[0], at: now) == nil)
    #expect(keys.dropFirst().allSatisfy { results.result(for: $0, at: now) != nil })
  }

  @Test("Its description and its record's show no token")
  func redacted() async throws {
    let record = try #require(backend.cachedRecord(for: SharedGroup.key()))
    for text in ["\(record.tokenResults)", String(reflecting: record.tokenResults)] {
      #expect(!text.contains("at-1"))
    }
    var dumped = ""
    dump(record.tokenResults, to: &dumped)
    #expect(!dumped.contains("at-1"))
  }
}
