// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("One refresh at a time")
struct SingleFlightTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  @Test("Concurrent apps redeem the refresh token once, and all get its response")
  func single() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    group.clock.advance(by: 4000)
    await group.endpoint.response(anna.response(2))
    await group.endpoint.beforeResponding { for _ in 0..<100 { await Task.yield() } }
    let tokens = try await withThrowingTaskGroup { tasks in
      for number in 0..<20 {
        let app = try group.app("app\(number % 4)")
        tasks.addTask { try await app.acquireTokenSilent(scopes: ["mail.read"], account: account) }
      }
      var results: [TokenResult] = []
      for try await result in tasks { results.append(result) }
      return results
    }
    #expect(tokens.map(\.accessToken) == Array(repeating: "at-2", count: 20))
    #expect(tokens.filter { $0.source == .refresh }.count == 1)
    #expect(await group.endpoint.requests.count == 1)
    #expect(try await group.document()?.metadata.apps(.signedIn).count == 5)
  }

  @Test("A forced refresh uses the response of another one that ran while it waited")
  func forced() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    let (arrived, go) = (OneWayGate(), OneWayGate())
    await group.endpoint.beforeResponding {
      await arrived.open()
      await go.wait()
    }
    let waiting = OneWayGate()
    let watched = WatchedBackend(inner: group.backend, beforeLease: { _ in await waiting.open() })
    let (mail, calendar) = (try group.app("mail"), try group.app("calendar", through: watched))
    async let first = mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    await arrived.wait()
    async let second = calendar.acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    await waiting.wait()
    await go.open()
    #expect(try await first.accessToken == "at-2")
    #expect(try await second.accessToken == "at-2")
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("A cancellation during the request still saves the response")
  func cancellation() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    let (arrived, go) = (OneWayGate(), OneWayGate())
    await group.endpoint.beforeResponding {
      await arrived.open()
      await go.wait()
      #expect(!Task.isCancelled)
    }
    let task = Task {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    await arrived.wait()
    task.cancel()
    await go.open()
    _ = await task.result
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
    #expect(try await group.document()?.secrets(.accessToken) == ["at-2"])
  }

  @Test("A cancellation before the request sends nothing")
  func cancelledBefore() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    group.clock.advance(by: 4000)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await group.endpoint.requests.isEmpty)
  }
}
