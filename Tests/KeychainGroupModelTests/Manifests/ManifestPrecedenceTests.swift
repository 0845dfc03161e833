// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Precedence of manifests")
struct ManifestPrecedenceTests {
  private let mail = "com.contoso.mail"

  private func review(_ files: ManifestFile...) throws -> (granted: AppEntitlements?, all: [AppManifest]) {
    let catalog = ManifestCatalog(files)
    return (try catalog.manifest(for: AppIdentifier(mail))?.entitlements, catalog.manifests)
  }

  @Test(
    "The system-wide manifest takes precedence, although the user's comes first in the desktop's order")
  func installedFirst() throws {
    let (granted, all) = try review(
      .ofUser(mail) { $0.state("contoso", "com.contoso.shared", "com.contoso.payroll") },
      .installed(mail) { $0.state("contoso", "com.contoso.shared") })
    #expect(granted?.groups.map(\.name) == ["com.contoso.shared"])
    #expect(all.map(\.isSystemWide) == [true, false])
    #expect(all[0].problems.isEmpty)
    #expect(all[1].problems.map(\.rule) == [.overruled])
    #expect(all[1].problems.map(\.isRefusal) == [true], "it claims more")
    #expect(all[1].precedingCopy == nil, "the installed one is no copy of it")
    #expect(all[1].entitlements == nil)
  }

  @Test("A user's manifest that claims no more than the installed one gets a warning")
  func copy() throws {
    for change in [{ $0.state("contoso", "com.contoso.shared") }, { _ in }]
      as [@Sendable (inout DesktopEntry) -> Void]
    {
      let (granted, all) = try review(
        .ofUser(mail, change),
        .installed(mail) { $0.state("contoso", "com.contoso.shared", "com.contoso.archive") })
      #expect(granted?.groups.count == 2)
      #expect(all[1].problems.map(\.isRefusal) == [false])
      #expect(all[1].entitlements == nil, "one manifest of an id counts")
    }
  }

  @Test("A manifest with another publisher claims more, whatever its groups")
  func otherPublisher() throws {
    for change in [{ $0.state("fabrikam", "com.contoso.shared") }, { $0.publisher = "fabrikam" }]
      as [@Sendable (inout DesktopEntry) -> Void]
    {
      let (granted, all) = try review(
        .ofUser(mail, change), .installed(mail) { $0.state("contoso", "com.contoso.shared") })
      #expect(granted?.publisher?.name == "contoso")
      #expect(all[1].problems.map(\.isRefusal) == [true])
    }
  }

  @Test("The desktop's order decides among installed manifests and among users' manifests")
  func order() throws {
    let local = "/usr/local/share/applications"
    let (granted, all) = try review(
      .installed(mail, in: local) { $0.state("contoso", "one") },
      .installed(mail) { $0.state("contoso", "two") })
    #expect(granted?.groups.map(\.name) == ["one"])
    #expect(all[1].problems.first?.explanation.contains(local) == true)
    #expect(all[1].precedingCopy?.hasPrefix(local) == true && all[0].precedingCopy == nil)
    let (own, _) = try review(
      .ofUser(mail) { $0.state("contoso", "one") },
      .installed(mail, in: "/home/ada/apps", owner: .user) { $0.state("contoso", "two") })
    #expect(own?.groups.map(\.name) == ["one"])
  }

  @Test("An installed manifest that is refused is not replaced by a user's")
  func refused() throws {
    let (granted, all) = try review(
      .ofUser(mail) { $0.state("contoso", "com.contoso.shared") },
      .installed(mail) { $0.state("contoso", "com.contoso.*") })
    #expect(granted == nil)
    #expect(all.map(\.entitlements) == [nil, nil])
  }

  @Test("An installed manifest that others can change comes after the user's")
  func untrusted() throws {
    for file in [
      ManifestFile.installed(mail, owner: .other) { $0.state("fabrikam", "a") },
      .installed(mail, isWritableByOthers: true) { $0.state("fabrikam", "a") },
    ] {
      let (granted, _) = try review(.ofUser(mail) { $0.state("contoso", "com.contoso.shared") }, file)
      #expect(granted?.publisher?.name == "contoso")
    }
  }

  @Test("A manifest with Hidden=true grants nothing")
  func hidden() throws {
    let (granted, all) = try review(
      .installed(mail) {
        $0.isHidden = true
        $0.state("contoso", "com.contoso.shared")
      })
    #expect(granted == nil && all.isEmpty)
  }

  @Test("Hidden=true in a user's file revokes nothing; in an installed file it does")
  func deletion() throws {
    let installed = ManifestFile.installed(mail) { $0.state("contoso", "com.contoso.shared") }
    #expect(try review(.ofUser(mail) { $0.isHidden = true }, installed).granted != nil)
    let local = ManifestFile.installed(mail, in: "/usr/local/share/applications") { $0.isHidden = true }
    #expect(try review(local, installed).granted == nil)
    #expect(try review(installed, local).granted != nil, "the deletion comes later in the desktop's order")
  }

  @Test("Manifests are sorted by ID, the effective one first")
  func sorted() throws {
    let catalog = ManifestCatalog([
      .ofUser("b"), .ofUser("a"), .installed("c"), .installed("b"), .installed("B"),
    ])
    #expect(catalog.manifests.map(\.identifier) == ["B", "a", "b", "b", "c"])
    #expect(catalog.manifests.map(\.isSystemWide) == [true, false, true, false, true])
  }
}
