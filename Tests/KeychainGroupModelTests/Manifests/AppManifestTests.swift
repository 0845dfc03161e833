// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("App manifest")
struct AppManifestTests {
  private func only(_ file: ManifestFile) throws -> AppManifest {
    try #require(ManifestCatalog([file]).manifests.first)
  }

  @Test("Groups, publisher and schemes are read from their keys")
  func keys() throws {
    let manifest = try only(
      .installed("com.contoso.mail") {
        $0.name = "Contoso Mail"
        $0.mediaTypes = [
          "text/calendar", "x-scheme-handler/mailto", "x-scheme-handler/msauth.com.contoso.mail",
        ]
        $0.state("contoso", "com.contoso.shared", "$(AppIdentifierPrefix)com.contoso.archive")
      })
    #expect(
      try manifest.entitlements
        == AppEntitlements(
          app: "com.contoso.mail", publisher: "contoso",
          groups: ["com.contoso.shared", "com.contoso.archive"]))
    #expect(manifest.name == "Contoso Mail")
    #expect(manifest.publisher == "contoso")
    #expect(manifest.groups == ["com.contoso.shared", "$(AppIdentifierPrefix)com.contoso.archive"])
    #expect(manifest.schemes == ["mailto", "msauth.com.contoso.mail"])
    #expect(manifest.redirectSchemes == ["msauth.com.contoso.mail"])
    #expect(manifest.problems.isEmpty)
    #expect(manifest.isSystemWide && manifest.declaresSharing)
  }

  @Test("An app whose manifest names no groups has its own group")
  func silent() throws {
    let manifest = try only(.installed("com.contoso.clock"))
    #expect(try manifest.entitlements == AppEntitlements(app: "com.contoso.clock"))
    #expect(!manifest.declaresSharing)
  }

  @Test("A scheme of MSAL or ADAL alone makes a desktop entry a manifest")
  func scheme() throws {
    for scheme in [
      "msauth.com.contoso.mail", "x-msauth-contoso", "MSAUTH.com.contoso.mail",
      "msalb6c69a37-df96-4db0-9088-2ab96e1d8215", "MSALb6c69a37-df96-4db0-9088-2ab96e1d8215",
    ] {
      let file = ManifestFile.installed("com.contoso.mail") { $0.mediaTypes = ["x-scheme-handler/\(scheme)"] }
      #expect(try only(file).declaresSharing)
    }
    #expect(
      try !only(.installed("com.contoso.mail") { $0.mediaTypes = ["x-scheme-handler/mailto"] })
        .declaresSharing)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var id = "com.contoso.mail"
    var publisher: String? = "contoso"
    var groups = ["com.contoso.shared"]
    let words: String
  }

  private static let bad = [
    Bad(testDescription: "a wildcard", groups: ["com.contoso.*"], words: "access group's name"),
    Bad(testDescription: "a wildcard alone", groups: ["*"], words: "access group's name"),
    Bad(testDescription: "an empty group", groups: [""], words: "empty"),
    Bad(testDescription: "the prefix alone", groups: ["$(AppIdentifierPrefix)"], words: "empty"),
    Bad(
      testDescription: "another variable", groups: ["$(TeamIdentifierPrefix)com.contoso.shared"],
      words: "other than"),
    Bad(
      testDescription: "a good group and a bad one", groups: ["com.contoso.shared", "a/b"],
      words: "other than"),
    Bad(testDescription: "an empty publisher", publisher: "", words: "publisher's name"),
    Bad(testDescription: "a publisher with a space", publisher: "Contoso Ltd", words: "publisher's name"),
    Bad(testDescription: "a control character", groups: ["com.contoso\u{1B}[31m"], words: "other than"),
    Bad(testDescription: "a file name with a space", id: "Contoso Mail", words: "app identifier"),
    Bad(testDescription: "a hidden file", id: ".com.contoso.mail", words: "begins with a dot"),
    Bad(
      testDescription: "ten thousand groups", groups: (0..<10_000).map { "com.contoso.g\($0)" },
      words: "10000"),
    Bad(
      testDescription: "a group of 201 bytes", groups: [String(repeating: "g", count: 201)],
      words: "200 bytes"),
  ]

  @Test("A malformed name refuses the whole manifest, with the reason", arguments: bad)
  func malformed(_ bad: Bad) throws {
    let manifest = try only(
      .installed(bad.id) {
        $0.publisher = bad.publisher
        $0.accessGroups = bad.groups
      })
    #expect(manifest.entitlements == nil)
    #expect(manifest.problems.map(\.rule) == [.malformed])
    #expect(manifest.problems.first?.isRefusal == true)
    #expect(manifest.problems.first?.explanation.contains(bad.words) == true)
  }

  @Test("A group listed twice counts once and gets a warning")
  func twice() throws {
    let manifest = try only(
      .installed("com.contoso.mail") {
        $0.state("contoso", "com.contoso.shared", "$(AppIdentifierPrefix)com.contoso.shared")
      })
    #expect(manifest.problems.map(\.rule) == [.repeatedGroup])
    #expect(manifest.entitlements?.groups.count == 1)
  }

  @Test("An unreadable file grants nothing and has the reason")
  func unreadable() throws {
    let manifest = try only(
      ManifestFile(
        identifier: "com.contoso.mail", path: "/usr/share/applications/com.contoso.mail.desktop",
        isInUserData: false, owner: .root, content: .unreadable("is no key file")))
    #expect(manifest.entitlements == nil)
    #expect(manifest.problems.map(\.rule) == [.unreadable])
    #expect(manifest.problems.first?.explanation == "The file is no key file.")
    #expect(manifest.declaresSharing, "it may declare groups")
  }

  @Test(
    "A file that declares no app grants nothing", arguments: [nil, "Link", "Directory", "application", ""])
  func otherType(_ type: String?) throws {
    let manifest = try only(
      .installed("com.contoso.mail") {
        $0.type = type
        $0.state("contoso", "com.contoso.shared")
      })
    #expect(manifest.entitlements == nil)
    #expect(manifest.problems.map(\.rule) == [.notAnApplication])
  }

  @Test("A group with another publisher's prefix belongs to the app's own publisher and gets a warning")
  func foreignPrefix() throws {
    let catalog = ManifestCatalog([
      .installed("com.fabrikam.spy") { $0.state("fabrikam", "contoso.com.contoso.shared") },
      .installed("com.contoso.mail") { $0.state("contoso", "contoso.own", "com.contoso.shared", "plain") },
    ])
    let spy = try #require(catalog.manifest(for: AppIdentifier("com.fabrikam.spy")))
    #expect(spy.problems.map(\.rule) == [.foreignPrefix])
    #expect(spy.problems.first?.explanation.contains("the publisher fabrikam") == true)
    #expect(spy.entitlements?.groups.first?.publisher?.name == "fabrikam")
    #expect(try catalog.manifest(for: AppIdentifier("com.contoso.mail"))?.problems.isEmpty == true)
  }

  @Test("Without a manifest the error names the searched folders; for a refused one it has the reason")
  func entitlementErrors() throws {
    let catalog = ManifestCatalog([.installed("com.contoso.mail") { $0.state("contoso", "com.contoso.*") }])
    let missing = try #require(throws: SecretStoreError.self) {
      try catalog.entitlements(for: AppIdentifier("com.contoso.calendar"))
    }
    #expect(missing.code == .notEntitled)
    #expect(missing.detail.contains("com.contoso.calendar.desktop"))
    #expect(missing.detail.contains("sso-cache apps init com.contoso.calendar"))
    let refused = try #require(throws: SecretStoreError.self) {
      try catalog.entitlements(for: AppIdentifier("com.contoso.mail"))
    }
    #expect(refused.code == .notEntitled)
    #expect(refused.detail.contains("/usr/share/applications/com.contoso.mail.desktop"))
    #expect(refused.detail.contains("access group's name"))
  }
}
