// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("The record of a wipe")
struct WipeRecordTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  private func wipe() async throws {
    try await AccountDirectory(backend: group.backend)
      .removeEverything(by: "com.contoso.calendar", clock: group.clock)
  }

  @Test("It says who removed everything, and when")
  func read() async throws {
    #expect(try await WipeRecord.read(from: group.backend) == nil)
    try await group.app("mail").signIn(anna.answer())
    try await wipe()
    let record = try #require(try await WipeRecord.read(from: group.backend))
    #expect(record.app == "com.contoso.calendar")
    #expect(record.date == TestClock.start)
  }

  @Test("It explains the next token that is not there")
  func explains() async throws {
    let account = try await group.app("mail").signIn(anna.answer())
    try await wipe()
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.detail.contains("com.contoso.calendar") == true)
    #expect(error?.detail.contains("2023-11-14T22:13:20Z") == true)
  }

  @Test("It is not blamed for an account that is there, nor without a wipe")
  func unrelated() async throws {
    try await wipe()
    let account = try await group.app("mail").signIn(anna.answer(changing: ["refresh_token": .null]))
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["files.read"], account: account)
    }
    #expect(error?.detail.contains("calendar") == false)
  }

  @Test("A record that can't be read is corruptItem to whoever asks, and no obstacle to a silent call")
  func corrupt() async throws {
    let account = try await group.app("mail").signIn(anna.answer())
    try await wipe()
    await group.backend.plant(Array("{".utf8), for: .groupData("wipe"))
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await WipeRecord.read(from: group.backend)
    }
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }
}
