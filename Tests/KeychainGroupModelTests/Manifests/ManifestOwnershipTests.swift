// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Ownership of manifests")
struct ManifestOwnershipTests {
  private static let claim: @Sendable (inout DesktopEntry) -> Void = {
    $0.state("contoso", "com.contoso.shared")
  }

  private func only(_ file: ManifestFile) throws -> AppManifest {
    try #require(ManifestCatalog([file]).manifests.first)
  }

  @Test(
    "A file writable by others is refused if it claims a publisher or a group; otherwise it gets a warning")
  func writable() throws {
    for (claiming, silent) in try [
      (
        only(.installed("com.contoso.mail", isWritableByOthers: true, Self.claim)),
        only(.installed("com.contoso.mail", isWritableByOthers: true))
      ),
      (
        only(.ofUser("com.contoso.mail", isWritableByOthers: true, Self.claim)),
        only(.ofUser("com.contoso.mail", isWritableByOthers: true))
      ),
    ] {
      #expect(claiming.entitlements == nil)
      #expect(claiming.problems.map(\.rule) == [.writableByOthers])
      #expect(claiming.problems.map(\.isRefusal) == [true])
      #expect(claiming.problems.first?.explanation.contains("may have written") == true)
      #expect(silent.entitlements != nil)
      #expect(silent.problems.map(\.isRefusal) == [false])
    }
  }

  @Test("A file of another user is refused if it claims a publisher or a group; otherwise it gets a warning")
  func foreign() throws {
    for (claiming, silent) in try [
      (
        only(.installed("com.contoso.mail", owner: .other, Self.claim)),
        only(.installed("com.contoso.mail", owner: .other))
      ),
      (
        only(.ofUser("com.contoso.mail", owner: .other, Self.claim)),
        only(.ofUser("com.contoso.mail", owner: .other))
      ),
    ] {
      #expect(claiming.entitlements == nil)
      #expect(claiming.problems.map(\.rule) == [.foreignOwner])
      #expect(claiming.problems.map(\.isRefusal) == [true])
      #expect(silent.entitlements != nil)
      #expect(silent.problems.map(\.isRefusal) == [false])
    }
  }

  @Test("A publisher alone is a claim, and so is a group alone")
  func claims() throws {
    for change in [{ $0.publisher = "contoso" }, { $0.accessGroups = ["a"] }]
      as [@Sendable (inout DesktopEntry) -> Void]
    {
      #expect(try only(.ofUser("com.contoso.mail", owner: .other, change)).entitlements == nil)
    }
    let empty = try only(.ofUser("com.contoso.mail", owner: .other) { $0.accessGroups = [] })
    #expect(empty.entitlements != nil)
  }

  @Test("A symbolic link gets a warning; it is refused if others can change its target")
  func link() throws {
    for file in [
      ManifestFile.installed("com.contoso.mail", isSymbolicLink: true, Self.claim),
      .ofUser("com.contoso.mail", isSymbolicLink: true, Self.claim),
    ] {
      let manifest = try only(file)
      #expect(manifest.problems.map(\.rule) == [.symbolicLink])
      #expect(manifest.entitlements != nil)
    }
    for file in [
      ManifestFile.installed("com.contoso.mail", owner: .other, isSymbolicLink: true, Self.claim),
      .ofUser("com.contoso.mail", isSymbolicLink: true, isWritableByOthers: true, Self.claim),
    ] {
      #expect(try only(file).entitlements == nil)
    }
  }

  @Test("A user's manifest may state any publisher that no installed app has")
  func developer() throws {
    let catalog = ManifestCatalog([
      .ofUser("com.contoso.calendar", Self.claim), .ofUser("com.contoso.mail", Self.claim),
      .installed("com.fabrikam.clock") { $0.state("fabrikam", "com.contoso.shared") },
      .installed("org.example.clock") { $0.state(nil, "com.contoso.shared") },
    ])
    for name in ["com.contoso.calendar", "com.contoso.mail"] {
      #expect(try catalog.entitlements(for: AppIdentifier(name)).publisher?.name == "contoso")
    }
    #expect(catalog.manifests.allSatisfy { $0.problems.isEmpty })
  }

  @Test("A user's manifest that states the publisher of an installed app is refused")
  func foreignPublisher() throws {
    let catalog = ManifestCatalog([
      .ofUser("com.contoso.spy", Self.claim), .installed("com.contoso.mail", Self.claim),
    ])
    let spy = try #require(catalog.manifest(for: AppIdentifier("com.contoso.spy")))
    #expect(spy.entitlements == nil)
    #expect(spy.problems.map(\.rule) == [.foreignPublisher])
    #expect(
      spy.problems.first?.explanation.contains("/usr/share/applications/com.contoso.mail.desktop") == true)
    #expect(try catalog.entitlements(for: AppIdentifier("com.contoso.mail")).publisher?.name == "contoso")
  }

  @Test("Such a manifest is refused whatever groups it lists, also with none")
  func anyGroup() throws {
    for change in [{ $0.state("contoso", "com.contoso.other") }, { $0.publisher = "contoso" }]
      as [@Sendable (inout DesktopEntry) -> Void]
    {
      let catalog = ManifestCatalog([
        .ofUser("com.contoso.spy", change), .installed("com.contoso.mail", Self.claim),
      ])
      #expect(try catalog.manifest(for: AppIdentifier("com.contoso.spy"))?.entitlements == nil)
    }
  }

  @Test("Only an administrator's manifest reserves its publisher")
  func nothingToDefend() throws {
    for other in [
      ManifestFile.installed("com.contoso.mail", owner: .user, Self.claim),
      .installed("com.contoso.mail", owner: .other, Self.claim),
      .installed("com.contoso.mail", isWritableByOthers: true, Self.claim),
      .installed("com.contoso.mail") { $0.state("contoso", "com.contoso.*") },
    ] {
      let catalog = ManifestCatalog([.ofUser("com.contoso.calendar", Self.claim), other])
      #expect(try catalog.manifest(for: AppIdentifier("com.contoso.calendar"))?.entitlements != nil)
    }
  }

  @Test("A system-wide link to a user's file counts as the user's")
  func linkToUsers() throws {
    let catalog = ManifestCatalog([
      .installed("com.contoso.spy", owner: .user, isSymbolicLink: true, Self.claim),
      .installed("com.contoso.mail", Self.claim),
    ])
    let spy = try catalog.manifest(for: AppIdentifier("com.contoso.spy"))
    #expect(spy?.problems.map(\.rule) == [.symbolicLink, .foreignPublisher])
    #expect(spy?.isSystemWide == false)
  }

  @Test("In root's session a manifest in root's home counts as the user's")
  func root() throws {
    let catalog = ManifestCatalog([
      .ofUser("com.contoso.spy", owner: .root, Self.claim), .installed("com.contoso.mail", Self.claim),
    ])
    #expect(try catalog.manifest(for: AppIdentifier("com.contoso.spy"))?.entitlements == nil)
  }
}
