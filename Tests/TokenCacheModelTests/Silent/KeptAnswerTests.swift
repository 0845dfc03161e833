// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
import Testing

@testable import TokenCacheModel

@Suite("An answer that is kept with its record")
struct KeptAnswerTests {
  private let group = SharedGroup()
  private let backend: KeepingBackend
  private let account: Account

  init() async throws {
    backend = KeepingBackend(inner: group.backend)
    account = try await group.app("mail").signIn(Person.anna.answer(1))
    _ = try await group.app("mail", through: backend).acquireTokenSilent(parameters)
  }

  private var parameters: SilentParameters { SilentParameters(scopes: ["mail.read"], account: account) }

  /// How many records a call reads, however it ends.
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

  @Test("is given again without reading the record")
  func again() async throws {
    #expect(try await reads() == 0)
    let result = try await group.app("mail", through: backend).acquireTokenSilent(parameters)
    #expect(result.accessToken == "at-1")
    #expect(result.source == .cache)
    #expect(result.idToken == Person.anna.idToken)
  }

  @Test("is for the account as the caller knows it")
  func account() async throws {
    let known = Account(
      identifier: account.identifier, username: "anna@new.example", environment: account.environment)
    let result = try await group.app("mail", through: backend).acquireTokenSilent(
      scopes: ["MAIL.read"], account: known)
    #expect(result.account.username == "anna@new.example")
    #expect(backend.reads == 1)
  }

  @Test("is given for as long as the token is fresh, to the second", arguments: [-2, 0, 3299, 3300, 3301])
  func time(seconds: Double) async throws {
    group.clock.advance(by: seconds)
    #expect(try await reads() == 0 || !(-1..<3300).contains(seconds))
    #expect(try await reads() > 0 || (-1..<3300).contains(seconds))
  }

  @Test("is not given once the token should be refreshed")
  func refreshDue() async throws {
    _ = try await group.app("mail", through: backend).signIn(
      Person.anna.answer(2, changing: ["refresh_in": 600]))
    _ = try await reads()
    #expect(try await reads() == 0)
    group.clock.advance(by: 601)
    #expect(try await reads() > 0)
  }

  @Test(
    "is not given to another question",
    arguments: [
      { $0.scopes = ["files.read"] }, { $0.scopes = ["mail.read", "files.read"] }, { $0.forceRefresh = true },
      { $0.claims = "{}" }, { $0.tenant = "contoso.com" },
      { $0.authority = try? Authority("https://login.microsoftonline.com/organizations") },
      { $0.scheme = AccessTokenScheme(tokenType: "pop", keyID: "k") },
    ] as [@Sendable (inout SilentParameters) -> Void])
  func otherQuestion(change: @Sendable (inout SilentParameters) -> Void) async throws {
    #expect(try await reads("mail", change) > 0)
  }

  @Test("is not given to another app, under another authority, or by other options")
  func otherCache() async throws {
    #expect(try await reads("calendar") > 0)
    #expect(try await reads(authority: "https://login.microsoftonline.com/contoso.com") > 0)
    #expect(try await reads(options: { $0.expiryBuffer = 3599 }) > 0)
    #expect(try await reads(options: { $0.applicationIdentifier = "com.contoso.managed" }) > 0)
  }

  @Test("is let go of with the record, and a signed-out app is told so")
  func signedOut() async throws {
    let mail = try group.app("mail", through: backend)
    try await mail.signOut(account)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(parameters)
    }
  }

  @Test("is not given to a cancelled task")
  func cancelled() async throws {
    let mail = try group.app("mail", through: backend)
    let parameters = parameters
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await mail.acquireTokenSilent(parameters)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("is worked out anew where the log is read, line by line")
  func logged() async throws {
    let log = CapturedLog()
    #expect(try await reads(options: { $0.logger = log.logger }) == 1)
    #expect(log.lines.map(\.message) == ["begins", "has read the cache", "ends"])
  }

  @Test("has its place taken when many others have been given since, and none is kept twice")
  func many() async throws {
    let answers = KeptAnswers()
    let cache = try group.app("mail")
    let result = try await cache.acquireTokenSilent(parameters)
    let questions = (0..<9).compactMap { number in
      var parameters = parameters
      parameters.tenant = "tenant-\(number)"
      return SilentQuestion(parameters, of: cache)
    }
    let now = group.clock.now()
    for _ in 0..<2 {
      for question in questions { answers.remember(result, to: question, while: now..<(now + 1)) }
    }
    #expect(answers.answer(to: questions[0], at: now) == nil)
    #expect(questions.dropFirst().allSatisfy { answers.answer(to: $0, at: now) != nil })
  }

  @Test("shows nothing of the token, and neither does its record")
  func redacted() async throws {
    let record = try #require(backend.keptRecord(for: SharedGroup.key()))
    for text in ["\(record.answers)", String(reflecting: record.answers)] { #expect(!text.contains("at-1")) }
    var dumped = ""
    dump(record.answers, to: &dumped)
    #expect(!dumped.contains("at-1"))
  }
}
