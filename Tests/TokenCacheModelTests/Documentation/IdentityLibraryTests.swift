// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("The example for identity libraries")
struct IdentityLibraryTests {
  private struct Server: HTTPClient {
    func post(_ form: String, to authority: Authority) async throws -> HTTPAnswer {
      HTTPAnswer(status: 200, body: Person.anna.answer(2).bytes, headers: [:])
    }
  }

  @Test(
    "is shown as it is compiled here",
    arguments: ["README.md", "Sources/TokenCacheModel/Documentation.docc/PluggingIn.md"])
  func shown(page: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let source = try String(
      contentsOf: folder.appending(path: "IdentityLibrarySnippet.swift"), encoding: .utf8)
    let text = try String(
      contentsOf: folder.appending(path: "../../../\(page)").standardized, encoding: .utf8)
    let compiled = try #require(
      source.components(separatedBy: "// begin\n").last?.components(separatedBy: "// end\n").first)
    #expect(text.contains("import KeychainGroupModel\nimport TokenCacheModel\n\n" + compiled))
  }

  @Test("signs in, is silent by the cache and by a refresh, and signs out")
  func works() async throws {
    let app = try AppEntitlements(
      app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
    let client = try IdentityClient(
      app: app, clientID: SharedGroup.suite, backend: InMemoryBackend(), http: Server())
    #expect(try await client.token(["mail.read"], of: Person.anna.identifier) == nil)
    let account = try await client.signedIn(Person.anna.answer(1).bytes, scopes: ["mail.read"])
    #expect(try await client.token(["mail.read"], of: account.identifier)?.accessToken == "at-1")
    let challenged = try await client.token(
      ["mail.read"], of: account.identifier, claims: #"{"access_token":{}}"#)
    #expect(challenged?.accessToken == "at-2")
    try await client.signOut(account)
    #expect(try await client.token(["mail.read"], of: account.identifier) == nil)
  }
}
