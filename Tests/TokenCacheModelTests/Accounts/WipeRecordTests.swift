// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Wipe record")
struct WipeRecordTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func wipe() async throws {
    try await AccountDirectory(backend: group.backend)
      .removeEverything(recordedAs: "com.contoso.calendar", clock: group.clock)
  }

  @Test("It states who removed everything, and when")
  func read() async throws {
    #expect(try await WipeRecord.read(from: group.backend) == nil)
    try await group.app("mail").signIn(anna.response())
    try await wipe()
    let record = try #require(try await WipeRecord.read(from: group.backend))
    #expect(record.app == "com.contoso.calendar")
    #expect(record.date == TestClock.start)
  }

  @Test("The next error for a missing token names it")
  func explains() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    try await wipe()
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.detail.contains("com.contoso.calendar") == true)
    #expect(error?.detail.contains("2023-11-14T22:13:20Z") == true)
  }

  @Test("After a sign-out everywhere the next error of an app names who did it, until somebody signs in")
  func signOutEverywhere() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response())
    try await AccountDirectory(backend: group.backend)
      .signOut(account, recordedAs: "com.contoso.calendar", clock: group.clock)
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.detail.contains("com.contoso.calendar") == true)
    #expect(error?.detail.contains("2023-11-14T22:13:20Z") == true)
    try await mail.signIn(anna.response(changing: ["refresh_token": .null]))
    let other = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await mail.acquireTokenSilent(scopes: ["files.read"], account: account)
    }
    #expect(other?.detail.contains("calendar") == false)
  }

  @Test("When the last app that has tokens signs out, an app that only listed the account is told which one")
  func lastApp() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    #expect(try await group.app("calendar").accounts() == [account])
    try await group.app("mail").signOut(account)
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("calendar").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.detail.contains("com.contoso.mail removed its tokens") == true)
    let own = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(own?.detail.contains("removed") == false)
  }

  @Test("After an import that replaces, the next error of an app names the process that did it")
  func replacingImport() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    var options = ImportOptions()
    options.replaces = true
    _ = try await CacheTransfer(backend: group.backend, clock: group.clock)
      .importUnified(Array(#"{"AccessToken":{}}"#.utf8), options: options)
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    let detail = try #require(error?.detail)
    #expect(detail.contains("\(ProcessInfo.processInfo.processName) removed its tokens on 2023-11-14"))
  }

  @Test(
    "A name that another program has planted is not shown",
    arguments: ["a\nb", "\u{1B}[31m", String(repeating: "x", count: 256), ""])
  func plantedName(name: String) async throws {
    let account = try await group.app("mail").signIn(anna.response())
    let directory = AccountDirectory(backend: group.backend)
    try await directory.signOut(account, recordedAs: name, clock: group.clock)
    let signedOut = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(signedOut?.detail.contains(" An app removed its tokens on ") == true)
    try await group.app("mail").signIn(anna.response())
    try await directory.removeEverything(recordedAs: name, clock: group.clock)
    #expect(try await WipeRecord.read(from: group.backend)?.app == "An app")
  }

  @Test("It is not named for an existing account, nor without a wipe")
  func unrelated() async throws {
    try await wipe()
    let account = try await group.app("mail").signIn(anna.response(changing: ["refresh_token": .null]))
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["files.read"], account: account)
    }
    #expect(error?.detail.contains("calendar") == false)
  }

  @Test("An unreadable wipe record throws corruptItem to its readers and does not affect a silent call")
  func corrupt() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    try await wipe()
    await group.backend.storeRaw(Array("{".utf8), for: .groupData("wipe"))
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await WipeRecord.read(from: group.backend)
    }
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("A wipe also removes records without an owner")
  func leftovers() async throws {
    let file =
      #"{"AccessToken":{"app":{"credential_type":"AccessToken","client_id":"c","environment":"login.windows.net","secret":"app-only-token","target":"x/.default","realm":"t","cached_at":"1700000000","expires_on":"1800000000"}},"Account":{"a":{"home_account_id":"u.t","environment":"login.windows.net","username":"anna@contoso.com","realm":"t"}}}"#
    let transfer = CacheTransfer(backend: group.backend)
    _ = try await transfer.importUnified(Array(file.utf8))
    try await AccountDirectory(backend: group.backend).removeEverything(recordedAs: "x", clock: group.clock)
    let text = String(decoding: try await transfer.exportUnified().json, as: UTF8.self)
    #expect(!text.contains("app-only-token"))
    #expect(!text.contains("anna@contoso.com"))
  }

  @Test("The error for a missing token without an endpoint names it")
  func explainsOffline() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    try await AccountDirectory(backend: group.backend).removeEverything(
      recordedAs: "com.contoso.calendar", clock: group.clock)
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail", isOnline: false).acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.detail.contains("com.contoso.calendar") == true, "\(error?.detail ?? "")")
  }
}
