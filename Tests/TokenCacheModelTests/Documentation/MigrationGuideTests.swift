// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Synchronization
import Testing
import TokenCacheModel

@testable import ADALCache

@Suite("Migration guide")
struct MigrationGuideTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: path).standardized, encoding: .utf8)
  }

  @Test("The page shows the code that is compiled here", arguments: ["before", "after", "blob"])
  func shown(name: String) throws {
    let source = try text("MigrationSnippets.swift")
    let page = try text("../../../Sources/TokenCacheModel/Documentation.docc/MovingFromADAL.md")
    let compiled = try #require(
      source.split(separator: "begin \(name)\n").last?.components(separatedBy: "// end \(name)").first)
    let lines = compiled.split(separator: "\n", omittingEmptySubsequences: false)
    let indent = lines.first?.hasPrefix("  ") == true ? 2 : 0
    let shown = lines.map { $0.hasPrefix("  ") ? $0.dropFirst(indent) : $0 }.joined(separator: "\n")
    #expect(page.contains(shown.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  @Test("An app migrated as described is silent and prompts the user only when necessary")
  func moved() async throws {
    let group = SharedGroup()
    let kept = Mutex<[String]>([])
    let app = AppBeforeAndAfter(
      signIn: { _ in try TokenResponse(members: TestUser.anna.response(3)) },
      signInForResource: { try TokenResponse(members: TestUser.anna.adalResponse(1, resource: $0)) },
      keep: { identifier in kept.withLock { $0.append(identifier) } })
    let before = try group.adal("mail", .ownFormat)
    #expect(try await app.tokenByADAL(before, userID: "anna@contoso.com") == "at-1")
    #expect(try await app.tokenByADAL(before, userID: "anna@contoso.com") == "at-1")

    let after = try group.app("mail")
    await group.endpoint.response(TestUser.anna.response(2, scope: "https://graph.windows.net/.default"))
    #expect(try await app.tokenByMSAL(after, userID: "anna@contoso.com") == "at-2")
    #expect(try await app.tokenByMSAL(after, userID: "anna@contoso.com") == "at-2")
    try await after.signOut(try #require(try await after.account()))
    #expect(try await app.tokenByMSAL(after, userID: "anna@contoso.com") == "at-3")
    #expect(Set(kept.withLock { $0 }) == [TestUser.anna.identifier])
  }

  @Test("An app's own blob joins a group as described")
  func blob() async throws {
    actor Memory: Vault {
      var bytes: [UInt8] = []
      func read() -> [UInt8] { bytes }
      func write(_ bytes: [UInt8]) { self.bytes = bytes }
    }
    let (group, vault) = (SharedGroup(), Memory())
    let mail = try group.adal("mail", .ownFormat, through: joined(group.backend, with: vault))
    try await mail.signIn(TestUser.anna.adalResponse())
    #expect(await !vault.bytes.isEmpty)
    #expect(try await group.app("calendar").accounts().map(\.username) == ["anna@contoso.com"])
  }
}
