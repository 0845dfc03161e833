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

    @Test("The response is found among other URLs that are handed over, which are reported")
    func response() async throws {
      let state = await redirects.issueState(for: uri)
      let strays = Mutex(0)
      let response = try await redirects.response(for: app, onStray: { _ in strays.withLock { $0 += 1 } }) {
        for url in ["nonsense", "\(uri)?code=forged&state=x", "", "\(uri)?code=right&state=\(state)"] {
          try await RedirectHandler.forward(url, to: app)
        }
      }
      #expect(response.code == "right")
      #expect(strays.withLock(\.self) == 3)
    }

    @Test("A refusal by the provider ends the wait")
    func refusal() async throws {
      let state = await redirects.issueState(for: uri)
      await #expect(throws: SecretStoreError(.promptDismissed, "")) {
        try await redirects.response(for: app) {
          try await RedirectHandler.forward("\(uri)?error=access_denied&state=\(state)", to: app)
        }
      }
    }

    @Test("Nobody takes a URL before a sign-in and after it")
    func nobody() async throws {
      await #expect(throws: SecretStoreError(.invalidRedirectURI, "")) {
        try await RedirectHandler.forward("x", to: app)
      }
      await #expect(throws: NoBrowser.self) { try await redirects.response(for: app) { throw NoBrowser() } }
      await #expect(throws: SecretStoreError(.invalidRedirectURI, "")) {
        try await RedirectHandler.forward("x", to: app)
      }
    }

    @Test("One sign-in of an app waits at a time; a wait that is cancelled lets the next one begin")
    func second() async throws {
      let (openings, opened) = AsyncStream.makeStream(of: Void.self)
      let first = Task { [redirects, app] in try await redirects.response(for: app) { opened.yield() } }
      for await _ in openings { break }
      await #expect(throws: SecretStoreError(.invalidArgument, "")) {
        try await redirects.response(for: app) {}
      }
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      let state = await redirects.issueState(for: uri)
      let response = try await redirects.response(for: app) {
        try await RedirectHandler.forward("\(uri)?code=c&state=\(state)", to: app)
      }
      #expect(response.code == "c")
    }

    @Test("A wait ends with its time limit")
    func limit() async throws {
      await #expect(throws: SecretStoreError(.timedOut, "")) {
        try await redirects.response(for: app, within: .milliseconds(50)) {}
      }
    }

    @Test("A URL that is too long is not sent")
    func length() async throws {
      _ = await redirects.issueState(for: uri)
      let error = await #expect(throws: SecretStoreError.self) {
        try await redirects.response(for: app) {
          let url = String(repeating: "x", count: RedirectHandler.maximumBytes + 1)
          try await RedirectHandler.forward(url, to: app)
        }
      }
      #expect((error?.underlying as? RedirectProblem)?.rule == .tooLong)
    }

    @Test("An app identifier that can't be a bus name is refused", arguments: ["com.1contoso", "a..b", "a."])
    func name(_ name: String) async throws {
      let app = try AppIdentifier(name)
      await #expect(throws: SecretStoreError(.invalidArgument, "")) {
        try await redirects.response(for: app) {}
      }
      await #expect(throws: SecretStoreError(.invalidArgument, "")) {
        try await RedirectHandler.forward("x", to: app)
      }
    }
  }
}
