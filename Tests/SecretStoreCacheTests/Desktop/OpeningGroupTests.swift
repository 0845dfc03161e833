// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import Testing

@Suite("Opening a group as the app one is")
struct OpeningGroupTests {
  private struct Sandbox: ProcessFactsSource {
    let app: String

    func processFacts() -> ProcessFacts {
      var facts = ProcessFacts(processID: 1)
      facts.flatpak = .app(app)
      return facts
    }
  }

  private func store(in app: String, checksIdentity: Bool = true) -> SecretStore {
    var options = SecretStoreOptions()
    options.processFacts = Sandbox(app: app)
    options.checksIdentity = checksIdentity
    return SecretStore(options: options)
  }

  private let mail: AppEntitlements

  init() throws {
    mail = try AppEntitlements(app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
  }

  @Test("An app that its sandbox knows by another name opens no group, and the service is not asked")
  func otherApp() throws {
    for group in [nil, "com.contoso.shared", "com.fabrikam.shared"] {
      #expect(throws: SecretStoreError(.identityMismatch, "")) {
        try store(in: "com.fabrikam.spy").backend(for: mail, group: group)
      }
    }
  }

  @Test("An app that its sandbox knows opens the group that it chose")
  func sameApp() throws {
    let chosen = try mail.choosing(keychainSharingGroup: "com.contoso.mail")
    #expect(try store(in: "com.contoso.mail").backend(for: mail).group.name == "com.contoso.shared")
    #expect(try store(in: "com.contoso.mail").backend(for: chosen).group.name == "com.contoso.mail")
  }

  @Test("A tool that acts for other apps is not checked")
  func tool() throws {
    let store = store(in: "org.example.terminal", checksIdentity: false)
    #expect(try store.backend(for: mail).group.name == "com.contoso.shared")
  }
}
