// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Synchronization
import Testing

@testable import ContosoIdentity

@Suite("The mailbox", .timeLimit(.minutes(1)))
final class MailboxTests: Sendable {
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

  @Test("the answer is found among URLs that are none, which are told of")
  func answer() async throws {
    let mailbox = try Mailbox(of: mail, in: folder)
    let state = await redirects.issueState(for: uri)
    for url in ["nonsense", "\(uri)?code=forged&state=x", "a\nb", "\(uri)?code=right&state=\(state)"] {
      try Mailbox.post(url, to: mail, in: folder)
    }
    let strays = Mutex(0)
    let answer = try await mailbox.answer(by: redirects, for: mail) { _ in strays.withLock { $0 += 1 } }
    #expect(answer.code == "right")
    #expect(strays.withLock(\.self) == 3)
  }

  @Test("what the provider refuses ends the waiting")
  func refusal() async throws {
    let mailbox = try Mailbox(of: mail, in: folder)
    let state = await redirects.issueState(for: uri)
    try Mailbox.post("\(uri)?error=access_denied&state=\(state)", to: mail, in: folder)
    await #expect(throws: SecretStoreError(.promptDismissed, "")) {
      try await mailbox.answer(by: redirects, for: mail) { _ in }
    }
  }

  @Test("nobody waits: a URL is refused, before the first sign-in and after it")
  func nobody() throws {
    #expect(throws: SignInError.notExpected) { try Mailbox.post("x", to: mail, in: folder) }
    _ = try Mailbox(of: mail, in: folder)
    #expect(throws: SignInError.notExpected) { try Mailbox.post("x", to: mail, in: folder) }
  }

  @Test("one sign-in at a time")
  func alreadyWaiting() throws {
    let mailbox = try Mailbox(of: mail, in: folder)
    #expect(throws: SignInError.alreadyWaiting) { try Mailbox(of: mail, in: folder) }
    withExtendedLifetime(mailbox) {}
    _ = try Mailbox(of: AppIdentifier("com.contoso.calendar"), in: folder)
  }

  @Test("a URL that is too long, or one for which there is no room, is refused and not cut")
  func length() throws {
    let mailbox = try Mailbox(of: mail, in: folder)
    #expect(throws: SignInError.notExpected) {
      try Mailbox.post(String(repeating: "x", count: 65_536), to: mail, in: folder)
    }
    withExtendedLifetime(mailbox) {}
  }

  @Test("without a folder there is no mailbox")
  func noFolder() {
    for folder in ["relative", "/nonexistent"] {
      #expect(throws: SignInError.noMailbox) { try Mailbox(of: mail, in: folder) }
    }
  }
}
