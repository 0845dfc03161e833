// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import KeychainGroupModel
@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Redirect inbox", .timeLimit(.minutes(1)))
  struct RedirectInboxTests {
    private struct NoBrowser: Error {}

    private let app: AppIdentifier
    private let uri: RedirectURI
    private let redirects = RedirectHandler()

    init() throws {
      app = try AppIdentifier("com.contoso.mail-\(UInt32.random(in: .min ... .max))")
      uri = try RedirectURI(defaultFor: app)
    }

    private func expectCompleteSignIn() async throws {
      let state = await redirects.issueState(for: uri)
      let response = try await redirects.response(to: state, for: app) {
        try await RedirectHandler.forward("\(uri)?code=c&state=\(state)", to: app)
      }
      #expect(response.code == "c")
    }

    @Test("The response is found among other URLs that are handed over, which are reported")
    func response() async throws {
      let state = await redirects.issueState(for: uri)
      let strays = Mutex(0)
      let response = try await redirects.response(
        to: state, for: app, onStray: { _ in strays.withLock { $0 += 1 } }
      ) {
        for url in ["nonsense", "\(uri)?code=forged&state=x", "", "\(uri)?code=right&state=\(state)"] {
          try await RedirectHandler.forward(url, to: app)
        }
      }
      #expect(response.code == "right")
      #expect(strays.withLock(\.self) == 3)
    }

    @Test("What opens the browser may go on running, also at the limit")
    func foregroundBrowser() async throws {
      let state = await redirects.issueState(for: uri)
      let response = try await redirects.response(to: state, for: app) { [app, uri] in
        try await RedirectHandler.forward("\(uri)?code=c&state=\(state)", to: app)
        try await Task.sleep(for: .seconds(600))
      }
      #expect(response.code == "c")
      let (ends, ended) = AsyncStream.makeStream(of: Void.self)
      let late = await redirects.issueState(for: uri)
      await #expect(throws: SecretStoreError(.promptDismissed, "")) {
        try await redirects.response(to: late, for: app, within: .milliseconds(50)) {
          defer { ended.finish() }
          try await Task.sleep(for: .seconds(600))
        }
      }
      for await _ in ends {}
    }

    @Test("A refusal by the provider ends the wait")
    func refusal() async throws {
      let state = await redirects.issueState(for: uri)
      await #expect(throws: SecretStoreError(.promptDismissed, "")) {
        try await redirects.response(to: state, for: app) {
          try await RedirectHandler.forward("\(uri)?error=access_denied&state=\(state)", to: app)
        }
      }
    }

    @Test("A response to another sign-in of the app is a stray, and stays with that sign-in")
    func otherSignIn() async throws {
      let other = await redirects.issueState(for: uri)
      let state = await redirects.issueState(for: uri)
      let strays = Mutex(0)
      let response = try await redirects.response(
        to: state, for: app, onStray: { _ in strays.withLock { $0 += 1 } }
      ) {
        for (code, state) in [("other", other), ("right", state)] {
          try await RedirectHandler.forward("\(uri)?code=\(code)&state=\(state)", to: app)
        }
      }
      #expect(response.code == "right")
      #expect(strays.withLock(\.self) == 1)
      #expect(try await redirects.handleRedirect("\(uri)?code=c&state=\(other)", for: app).code == "c")
    }

    @Test(
      "A response that comes after the end of the wait is refused",
      arguments: ["an error", "the limit", "a cancel"])
    func late(end: String) async throws {
      let state = await redirects.issueState(for: uri)
      let (openings, opened) = AsyncStream.makeStream(of: Void.self)
      let wait = Task { [redirects, app] in
        let limit = end == "the limit" ? Duration.milliseconds(50) : .seconds(60)
        return try await redirects.response(to: state, for: app, within: limit) {
          opened.yield()
          if end == "an error" { throw NoBrowser() }
        }
      }
      for await _ in openings { break }
      if end == "a cancel" { wait.cancel() }
      let result = await wait.result
      switch end {
      case "an error": #expect(throws: NoBrowser.self) { try result.get() }
      case "the limit": #expect(throws: SecretStoreError(.promptDismissed, "")) { try result.get() }
      default: #expect(throws: CancellationError.self) { try result.get() }
      }
      await #expect(throws: SecretStoreError(.invalidRedirectURI, "")) {
        try await redirects.handleRedirect("\(uri)?code=c&state=\(state)", for: app)
      }
    }

    @Test("Nobody takes a URL before a sign-in and after it")
    func nobody() async throws {
      let state = await redirects.issueState(for: uri)
      await #expect(throws: SecretStoreError(.invalidRedirectURI, "")) {
        try await RedirectHandler.forward("x", to: app)
      }
      await #expect(throws: NoBrowser.self) {
        try await redirects.response(to: state, for: app) { throw NoBrowser() }
      }
      await #expect(throws: SecretStoreError(.invalidRedirectURI, "")) {
        try await RedirectHandler.forward("x", to: app)
      }
    }

    @Test("One sign-in of an app waits at a time; a wait that is cancelled lets the next one begin")
    func second() async throws {
      let (openings, opened) = AsyncStream.makeStream(of: Void.self)
      let states = [await redirects.issueState(for: uri), await redirects.issueState(for: uri)]
      let first = Task { [redirects, app] in
        try await redirects.response(to: states[0], for: app) { opened.yield() }
      }
      for await _ in openings { break }
      await #expect(throws: SecretStoreError(.interactiveSessionAlreadyRunning, "")) {
        try await redirects.response(to: states[1], for: app) {}
      }
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      try await expectCompleteSignIn()
    }

    @Test("A wait that is cancelled at any time keeps the next one from nothing")
    func cancelled() async throws {
      for delay in 0..<20 {
        let state = await redirects.issueState(for: uri)
        let wait = Task { [redirects, app] in try await redirects.response(to: state, for: app) {} }
        try await Task.sleep(for: .microseconds(delay * 500))
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
      }
      try await expectCompleteSignIn()
    }

    @Test("A URL that is too long is neither sent nor received, and floods are cut to the newest 64")
    func bounds() async throws {
      let state = await redirects.issueState(for: uri)
      let long = String(repeating: "x", count: RedirectHandler.maximumBytes + 1)
      let strays = Mutex(0)
      let flooded = DispatchSemaphore(value: 0)
      let response = try await redirects.response(
        to: state, for: app,
        onStray: { _ in
          // No URL is looked at before all have come.
          if strays.withLock({
            $0 += 1; return $0
          }) == 1 {
            flooded.wait()
          }
        }
      ) {
        defer { flooded.signal() }
        let error = await #expect(throws: SecretStoreError.self) {
          try await RedirectHandler.forward(long, to: app)
        }
        #expect((error?.underlying as? RedirectProblem)?.rule == .tooLong)
        try await open([long])
        try await open(Array(repeating: String(long.dropLast(2)), count: 70))
        try await open(Array(repeating: "stray", count: 70))
        try await open(["\(uri)?code=right&state=\(state)"])
      }
      #expect(response.code == "right")
      #expect(strays.withLock(\.self) == 64)
    }

    /// Calls the waiting program as any program can.
    private func open(_ urls: [String]) async throws {
      let bus = try await SessionBus.connect()
      let name = "\(app).Redirects"
      let owner = try #require(try await bus.owner(of: name))
      let path = try #require(ObjectPath("/" + name.replacing(".", with: "/").replacing("-", with: "_")))
      let method = BusMethod(
        service: owner, path: path, interface: "org.freedesktop.Application", name: "Open")
      let message = try BusMessage(calling: method) {
        [try .list(of: "s", urls.map { try .string($0) }), try .properties([])]
      }
      _ = try await bus.calls.call(.cancellable, message).read(as: "()") { _ in }
    }

    @Test("An app identifier that can't be a bus name is refused", arguments: ["com.1contoso", "a..b", "a."])
    func name(_ name: String) async throws {
      let app = try AppIdentifier(name)
      let state = await redirects.issueState(for: uri)
      await #expect(throws: SecretStoreError(.invalidArgument, "")) {
        try await redirects.response(to: state, for: app) {}
      }
      await #expect(throws: SecretStoreError(.invalidArgument, "")) {
        try await RedirectHandler.forward("x", to: app)
      }
    }
  }
}
