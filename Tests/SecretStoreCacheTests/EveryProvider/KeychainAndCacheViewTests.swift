// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

@testable import KeychainItems

extension ServiceTests.EveryProvider {
  /// This process uses the keychain view; another process, `sso-cache`, uses the token cache over the same group.
  @Suite("Keychain view and token cache in two processes")
  struct KeychainAndCacheViewTests {
    private static let client = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
    private static let host = "login.microsoftonline.com"
    private static let tenant = "fdb9e8f1-4b5a-4b3e-8e0f-9c1a2b3c4d5e"
    private static let identifier = "0a6a4b2c-5d6e-4f70-8192-a3b4c5d6e7f8.\(tenant)"

    private let name = PrivateSession.uniqueGroup()
    private let view: KeychainView

    init() throws {
      view = KeychainView(
        backend: ServiceSupport.store().unrestrictedBackend(for: try AccessGroup(name)),
        app: try AppIdentifier("com.contoso.mail"))
    }

    private func credential(_ kind: String, _ secret: String, _ more: JSONObject = [:]) throws
      -> CredentialEntry
    {
      var fields: JSONObject = [
        "credential_type": .string(kind), "home_account_id": .string(Self.identifier),
        "environment": .string(Self.host), "client_id": .string(Self.client), "secret": .string(secret),
      ]
      for (name, value) in more { fields[name] = value }
      return try CredentialEntry(fields: fields)
    }

    private func accessToken(_ secret: String, age: Int = 0) throws -> CredentialEntry {
      let now = Int(Date().timeIntervalSince1970) - age
      return try credential(
        "AccessToken", secret,
        [
          "realm": .string(Self.tenant), "target": "mail.read", "cached_at": .string("\(now)"),
          "expires_on": .string("\(now + 3600)"),
        ])
    }

    private func account() throws -> AccountEntry {
      try AccountEntry(fields: [
        "home_account_id": .string(Self.identifier), "environment": .string(Self.host),
        "realm": .string(Self.tenant), "authority_type": "MSSTS", "username": "ada@contoso.com",
        "local_account_id": "0a6a4b2c-5d6e-4f70-8192-a3b4c5d6e7f8",
      ])
    }

    /// Runs the other process; returns its output.
    private func tool(_ arguments: String...) async throws -> JSONObject {
      let output = try await PrivateSession.run(
        PrivateSession.tool, arguments + ["--group", name, "--json"])
      return try #require(try JSONValue(parsing: Array(output.utf8)).objectValue)
    }

    private func token() async throws -> String? {
      try await tool(
        "token", "--client-id", Self.client, "--account", "ada@contoso.com", "--scope", "mail.read")[
          "access_token"]?.stringValue
    }

    private func importing(_ credential: CredentialEntry) async throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
      defer { try? FileManager.default.removeItem(at: file) }
      let cache: JSONObject = ["AccessToken": .object(["key": .object(credential.fields)])]
      try Data(JSONValue.object(cache).serialized()).write(to: file)
      _ = try await tool("import", "--format", "msal", file.path())
    }

    @Test("Each process finds what the other writes, with every field, and not what the other removes")
    func turns() async throws {
      try await view.save(try credential("RefreshToken", "refresh"))
      try await view.save(try account())
      for round in 0..<4 {
        let saved = try accessToken("by the view \(round)", age: 100 - round)
        try await view.save(saved)
        #expect(try await token() == "by the view \(round)")

        let imported = try accessToken("by the cache \(round)", age: 50 - round)
        try await importing(imported)
        let found = try await view.credential(for: KeychainItemKey(of: saved))
        #expect(found?.fields == imported.fields)

        try await view.removeCredential(KeychainItemKey(of: saved))
        await #expect(throws: PrivateSession.Failed.self) { try await token() }
      }
      let accounts = try await tool("accounts")["accounts"]?.arrayValue
      #expect(accounts?.first?.objectValue?["identifier"]?.stringValue == Self.identifier)

      _ = try await tool("sign-out", "--client-id", Self.client, "--account", Self.identifier, "--yes")
      let refresh = try credential("RefreshToken", "refresh")
      #expect(try await view.credential(for: KeychainItemKey(of: refresh)) == nil)
      #expect(try await view.account(for: KeychainItemKey(of: try account())) == nil)
    }
  }
}
