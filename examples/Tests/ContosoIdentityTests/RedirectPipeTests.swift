// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Synchronization
import Testing

@testable import ContosoIdentity

@Suite("The pipe", .timeLimit(.minutes(1)))
final class RedirectPipeTests: Sendable {
  private let folder: String
  private let mail: AppIdentifier
  private let uri: RedirectURI
  private let redirects = RedirectHandler()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    mail = try AppIdentifier("com.contoso.mail")
    uri = try RedirectURI(defaultFor: mail)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  @Test("The response is found among invalid URLs, which are reported")
  func response() async throws {
    let pipe = try RedirectPipe(of: mail, in: folder)
    let state = await redirects.issueState(for: uri)
    for url in ["nonsense", "\(uri)?code=forged&state=x", "a\nb", "\(uri)?code=right&state=\(state)"] {
      try RedirectPipe.send(url, to: mail, in: folder)
    }
    let reported = Mutex(0)
    let response = try await pipe.response(by: redirects, for: mail) { _ in
      reported.withLock { $0 += 1 }
    }
    #expect(response.code == "right")
    #expect(reported.withLock(\.self) == 3)
  }

  @Test("A denial by the provider ends the wait")
  func refusal() async throws {
    let pipe = try RedirectPipe(of: mail, in: folder)
    let state = await redirects.issueState(for: uri)
    try RedirectPipe.send("\(uri)?error=access_denied&state=\(state)", to: mail, in: folder)
    await #expect(throws: SecretStoreError(.promptDismissed, "")) {
      try await pipe.response(by: redirects, for: mail) { _ in }
    }
  }

  @Test("Without a waiting sign-in a URL is refused, before the first sign-in and after it")
  func nobody() throws {
    #expect(throws: SignInError.notExpected) { try RedirectPipe.send("x", to: mail, in: folder) }
    _ = try RedirectPipe(of: mail, in: folder)
    #expect(throws: SignInError.notExpected) { try RedirectPipe.send("x", to: mail, in: folder) }
  }

  @Test("A wait that is cancelled ends, and the next sign-in can begin")
  func cancellation() async throws {
    var pipe: RedirectPipe? = try RedirectPipe(of: mail, in: folder)
    let waiting = Task { [pipe, redirects, mail] in
      _ = try await pipe?.response(by: redirects, for: mail) { _ in }
    }
    pipe = nil
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    while (try? RedirectPipe(of: mail, in: folder)) == nil { await Task.yield() }
  }

  @Test("A refused sign-in closes no file but its own")
  func refusedSignIn() async throws {
    let pipe = try RedirectPipe(of: mail, in: folder)
    let refusals = Task.detached { [mail, folder] in
      for _ in 0..<20_000 { _ = try? RedirectPipe(of: mail, in: folder) }
    }
    var lost = 0
    for _ in 0..<200_000 where unsafe close(open("/dev/null", O_RDONLY)) != 0 { lost += 1 }
    await refusals.value
    #expect(lost == 0)
    withExtendedLifetime(pipe) {}
  }

  @Test("Only one sign-in waits at a time")
  func alreadyWaiting() throws {
    let pipe = try RedirectPipe(of: mail, in: folder)
    #expect(throws: SignInError.alreadyWaiting) { try RedirectPipe(of: mail, in: folder) }
    withExtendedLifetime(pipe) {}
    _ = try RedirectPipe(of: AppIdentifier("com.contoso.calendar"), in: folder)
  }

  @Test("A URL that is too long, or exceeds the free space, is refused and not truncated")
  func length() throws {
    let pipe = try RedirectPipe(of: mail, in: folder)
    #expect(throws: SignInError.notExpected) {
      try RedirectPipe.send(String(repeating: "x", count: 65_536), to: mail, in: folder)
    }
    withExtendedLifetime(pipe) {}
  }

  @Test("Without a folder there is no pipe")
  func noFolder() {
    for folder in ["relative", "/nonexistent"] {
      #expect(throws: SignInError.noRuntimeDirectory) { try RedirectPipe(of: mail, in: folder) }
    }
  }
}
