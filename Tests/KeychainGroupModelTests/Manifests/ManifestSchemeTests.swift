// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Schemes of a manifest")
struct ManifestSchemeTests {
  private func problems(
    _ schemes: String..., command: String? = "mail %u", overBus: Bool = false, handlers: FixedHandlers? = nil
  ) -> [ManifestProblem] {
    let file = ManifestFile.installed("com.contoso.Mail") {
      $0.publisher = "contoso"
      $0.command = command
      $0.isDBusActivatable = overBus
      $0.mediaTypes = schemes.map { "x-scheme-handler/\($0)" }
    }
    return ManifestCatalog([file], schemeHandlers: handlers).manifests.flatMap(\.problems)
  }

  @Test("The app's own scheme in lower case is valid")
  func own() {
    #expect(problems("msauth.com.contoso.mail").isEmpty)
    #expect(problems().isEmpty, "a loopback address needs none")
  }

  @Test("A scheme in upper case is never found")
  func upperCase() {
    #expect(problems("msauth.com.contoso.Mail").map(\.rule) == [.upperCaseScheme])
  }

  @Test("Another app's msauth scheme gets a warning")
  func otherApps() {
    #expect(problems("msauth.com.contoso.calendar").map(\.rule) == [.otherAppsScheme])
    #expect(problems("msauth.com.contoso").map(\.rule) == [.otherAppsScheme])
    #expect(problems("msauth.com.contoso.mail.more").map(\.rule) == [.otherAppsScheme])
  }

  @Test(
    "Exec needs a URL field code unless the app is D-Bus activatable",
    arguments: [
      ("mail %u", true), ("mail %U", true), ("mail --open=%u", true), ("mail", false), ("mail %f", false),
      ("mail %%u", false), ("mail %%%u", true), ("", false), (nil, false),
    ] as [(String?, Bool)])
  func exec(command: String?, isWell: Bool) {
    let found = problems("msauth.com.contoso.mail", command: command)
    #expect(found.map(\.rule) == (isWell ? [] : [.noURLArgument]))
    #expect(problems("msauth.com.contoso.mail", command: command, overBus: true).isEmpty)
    #expect(problems("mailto", command: command).isEmpty, "mailto is no redirect scheme")
  }

  @Test("A scheme that the desktop opens with another app gets a warning with the remedy")
  func notOpened() {
    let well = FixedHandlers(["msauth.com.contoso.mail": ["com.contoso.Mail", "com.contoso.old"]])
    #expect(problems("msauth.com.contoso.mail", handlers: well).isEmpty)
    let unknown = problems("msauth.com.contoso.mail", handlers: FixedHandlers())
    #expect(unknown.map(\.rule) == [.schemeNotOpened])
    #expect(unknown.first?.explanation.contains("update-desktop-database") == true)
    let other = FixedHandlers(["msauth.com.contoso.mail": ["com.contoso.old", "com.contoso.Mail"]])
    let taken = problems("msauth.com.contoso.mail", handlers: other)
    #expect(taken.map(\.rule) == [.schemeNotOpened])
    #expect(taken.first?.explanation.contains("xdg-mime default com.contoso.Mail.desktop") == true)
    #expect(problems("mailto", handlers: FixedHandlers()).isEmpty)
  }

  @Test("Scheme warnings do not revoke an app's groups")
  func remarks() {
    let all = problems("msauth.com.contoso.Calendar", command: "mail", handlers: FixedHandlers())
    #expect(all.count == 4)
    #expect(all.allSatisfy { !$0.isRefusal })
  }

  @Test("Two manifests with one ID do not share a scheme")
  func oneIdentifier() {
    let scheme: (inout DesktopEntry) -> Void = { $0.mediaTypes = ["x-scheme-handler/msauth.a"] }
    let catalog = ManifestCatalog([.ofUser("a", scheme), .installed("a", scheme)])
    #expect(catalog.manifests.flatMap(\.problems).map(\.rule) == [.overruled])
  }

  @Test("Without the desktop's database the manifests state which schemes are registered")
  func asHandlers() throws {
    let catalog = ManifestCatalog([
      .ofUser("com.contoso.spy") { $0.mediaTypes = ["x-scheme-handler/msauth.com.contoso.mail"] },
      .installed("com.contoso.mail") { $0.mediaTypes = ["x-scheme-handler/msauth.com.contoso.mail"] },
      .ofUser("com.contoso.mail") { $0.mediaTypes = ["x-scheme-handler/other.scheme"] },
    ])
    #expect(catalog.apps(for: "msauth.com.contoso.mail") == ["com.contoso.mail", "com.contoso.spy"])
    #expect(catalog.apps(for: "other.scheme") == [])
  }
}
