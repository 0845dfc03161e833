// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Example for identity libraries")
struct IdentityLibraryTests {
  private struct Server: HTTPClient {
    func post(
      _ form: String, to url: URL, headers: [(name: String, value: String)]
    ) async throws -> HTTPResponse {
      HTTPResponse(status: 200, body: TestUser.anna.response(2).bytes, headers: [:])
    }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: path).standardized, encoding: .utf8)
  }

  /// The text between the markers of a file.
  private func compiled(_ file: String) throws -> String {
    let parts = try text(file).components(separatedBy: "// begin\n")
    return try #require(parts.last?.components(separatedBy: "// end\n").first)
  }

  @Test("The page shows the code that is compiled here")
  func shown() throws {
    let page = try text("../../../Sources/TokenCacheModel/Documentation.docc/PluggingIn.md")
    let example = try compiled("IdentityLibrarySnippet.swift")
    #expect(page.contains("import TokenCacheModel\n\n" + example))
  }

  @Test(
    "The page shows the back end that the examples test, in four settings of the language",
    arguments: ["MyBackend.swift", "MyBackendTests.swift"])
  func ownBackend(_ file: String) throws {
    let page = try text("../../../Sources/TokenCacheModel/Documentation.docc/PluggingIn.md")
    for settings in ["", "ApproachableConcurrency", "MainActor", "Swift5"] {
      let source = try text("../../../examples/Tests/SampleBackend\(settings)Tests/\(file)")
      let code = source.replacing("// SPDX-License-Identifier: MIT\n\n", with: "")
      #expect(page.contains("```swift\n\(code)```\n"))
    }
  }

  @Test("The example signs in, is silent from the cache and by a refresh, and signs out")
  func works() async throws {
    let app = try AppEntitlements(
      app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
    let client = try IdentityClient(
      app: app, clientID: SharedGroup.suite, backend: InMemoryBackend(), http: Server())
    #expect(try await client.token(["mail.read"], of: TestUser.anna.identifier) == nil)
    let signedIn = try await client.signedIn(TestUser.anna.response(1).bytes, scopes: ["mail.read"])
    #expect(signedIn.accessToken == "at-1")
    let account = signedIn.account
    #expect(try await client.token(["mail.read"], of: account.identifier)?.accessToken == "at-1")
    let challenged = try await client.token(
      ["mail.read"], of: account.identifier, claims: #"{"access_token":{}}"#)
    #expect(challenged?.accessToken == "at-2")
    try await client.signOut(account)
    #expect(try await client.token(["mail.read"], of: account.identifier) == nil)
  }
}
