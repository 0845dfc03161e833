// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel
import UnifiedCache

@Suite("Account hints")
struct AccountHintTests {
  private let backend = InMemoryBackend()
  private var directory: AccountDirectory { AccountDirectory(backend: backend) }

  private func hint(_ username: String, of source: String = "azure-cli", tenant: String = "t")
    -> AccountDirectory.Hint?
  {
    AccountDirectory.Hint(
      identifier: "u.t", username: username, environment: "login.microsoftonline.com", tenant: tenant,
      source: source)
  }

  @Test("A tool's hints replace those it had before, and no other tool's")
  func replacing() async throws {
    let (ada, grace, alan) = try (
      #require(hint("ada")), #require(hint("grace")), #require(hint("alan", of: "azd"))
    )
    try await directory.replaceHints(of: "azure-cli", with: [ada, grace])
    try await directory.replaceHints(of: "azd", with: [alan])
    #expect(try await directory.hints() == [ada, alan, grace])
    try await directory.replaceHints(of: "azure-cli", with: [grace])
    #expect(try await directory.hints() == [alan, grace])
  }

  @Test("What is kept is counted: at most 500 hints of a tool, and none of a dry run is stored")
  func counted() async throws {
    let many = (0..<501).compactMap { hint("user\($0)") }
    for isDryRun in [true, false, false] {
      let kept = try await directory.replaceHints(of: "azure-cli", with: many, isDryRun: isDryRun)
      #expect(kept == 500)
      #expect(try await directory.hints().count == (isDryRun ? 0 : 500))
    }
    #expect(try await directory.replaceHints(of: "azd", with: []) == 0)
  }

  @Test("Hints are in the order of user names, as accounts are: without regard to case")
  func order() async throws {
    let (zoe, ada) = try (#require(hint("Zoe")), #require(hint("ada")))
    try await directory.replaceHints(of: "azure-cli", with: [zoe, ada])
    #expect(try await directory.hints() == [ada, zoe])
  }

  @Test("No hints are no record")
  func none() async throws {
    try await directory.replaceHints(of: "azure-cli", with: [])
    #expect(try await backend.records(matching: .all(.groupData)).isEmpty)
  }

  @Test(
    "A hint has a user name, and no control character or text without end",
    arguments: ["", "ada\u{1b}[2J", String(repeating: "a", count: 1025)])
  func refused(username: String) {
    #expect(hint(username) == nil)
    #expect(hint("ada", tenant: "\n") == nil)
  }

  @Test("A hint's description shows no name")
  func redacted() throws {
    let ada = try #require(hint("ada@contoso.com"))
    #expect(!"\(ada) \(String(reflecting: ada))".contains("ada@"))
    #expect(Mirror(reflecting: ada).children.isEmpty)
  }

  @Test("Removing everything removes the hints")
  func removed() async throws {
    let ada = try #require(hint("ada"))
    try await directory.replaceHints(of: "azure-cli", with: [ada])
    try await directory.removeEverything(recordedAs: "test")
    #expect(try await directory.hints().isEmpty)
  }

  @Test("A tool that knows nobody any more has no hints")
  func removing() async throws {
    let ada = try #require(hint("ada"))
    try await directory.replaceHints(of: "azure-cli", with: [ada])
    try await directory.replaceHints(of: "azure-cli", with: [])
    #expect(try await directory.hints().isEmpty)
  }
}
