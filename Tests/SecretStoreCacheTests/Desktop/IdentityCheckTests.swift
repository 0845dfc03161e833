// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import Testing

@Suite("Identity check on opening a group")
struct IdentityCheckTests {
  private struct SandboxFacts: ProcessFactsSource {
    let app: String

    func processFacts() -> ProcessFacts {
      var facts = ProcessFacts(processID: 1)
      facts.flatpak = .app(app)
      return facts
    }
  }

  private func store(in app: String, checksIdentity: Bool = true) -> SecretStore {
    var options = SecretStoreOptions()
    options.processFacts = SandboxFacts(app: app)
    options.checksIdentity = checksIdentity
    options.transport = .secretService
    return SecretStore(options: options)
  }

  private func opened(_ backend: any TokenCacheBackend) throws -> String {
    try #require(backend as? SecretServiceBackend).group.name
  }

  private let mail: AppEntitlements

  init() throws {
    mail = try AppEntitlements(app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
  }

  @Test("An app whose sandbox has another app ID opens no group")
  func otherApp() throws {
    for group in [nil, "com.contoso.shared", "com.fabrikam.shared"] {
      #expect(throws: SecretStoreError(.identityMismatch, "")) {
        try store(in: "com.fabrikam.spy").backend(for: mail, group: group)
      }
    }
  }

  @Test("An app whose sandbox has another app ID opens no secrets of another app")
  func secretsOfOtherApp() throws {
    #expect(throws: SecretStoreError(.identityMismatch, "")) {
      try store(in: "com.fabrikam.spy").secrets(for: mail)
    }
    _ = try store(in: "com.contoso.mail").secrets(for: mail)
    _ = try store(in: "com.fabrikam.spy", checksIdentity: false).secrets(for: mail)
  }

  @Test("An app whose sandbox has its app ID opens the group that it chose")
  func sameApp() throws {
    let chosen = try mail.choosing(keychainSharingGroup: "com.contoso.mail")
    #expect(try opened(store(in: "com.contoso.mail").backend(for: mail)) == "com.contoso.shared")
    #expect(try opened(store(in: "com.contoso.mail").backend(for: chosen)) == "com.contoso.mail")
  }

  @Test("A tool that acts for other apps is not checked")
  func tool() throws {
    let store = store(in: "org.example.terminal", checksIdentity: false)
    #expect(try opened(store.backend(for: mail)) == "com.contoso.shared")
  }

  @Test("An app outside of a sandbox, or in a Flatpak that does not name the agent, uses the Secret Service")
  func transports() throws {
    var options = SecretStoreOptions()
    #expect(try SecretStore(options: options).backend(for: mail) is SecretServiceBackend)
    options.processFacts = SandboxFacts(app: "com.contoso.mail")
    #expect(try SecretStore(options: options).backend(for: mail) is SecretServiceBackend)
    options.transport = .agent
    #expect(try SecretStore(options: options).backend(for: mail) is AgentBackend)
  }
}
