// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

/// Copies of the files that a Flatpak, a snap and a desktop give a process.
@Suite("Process identity")
struct ProcessIdentityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let slice = "0::/user.slice/user-1000.slice/user@1000.service/app.slice"

  private func apps(_ environment: [String: String] = [:]) -> InstalledApps {
    let standard = ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": "/nonexistent"]
    return InstalledApps(environment: standard.merging(environment) { $1 }, root: folder.path)
  }

  private static let flatpak = """
    [Application]
    name=com.contoso.mail
    runtime=runtime/org.freedesktop.Platform/x86_64/23.08

    [Instance]
    instance-id=2437564211
    branch=stable
    flatpak-version=1.14.10

    [Context]
    shared=network;ipc;
    sockets=wayland;
    """

  @Test("In a Flatpak the app ID is the one in /.flatpak-info")
  func flatpak() throws {
    try folder.write(".flatpak-info", Self.flatpak)
    #expect(try apps().identity().app.name == "com.contoso.mail")
    #expect(try apps().identity(of: "com.contoso.mail").source == .flatpak)
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try apps().identity(of: "com.fabrikam.spy") }
    #expect(throws: SecretStoreError(.identityMismatch, "")) {
      try apps().entitlements(for: "com.fabrikam.spy")
    }
  }

  @Test(
    "A Flatpak's file that names no app is refused and never ignored",
    arguments: [
      "", "[Runtime]\nname=org.freedesktop.Platform\n", "[Application]\nruntime=x\n", "name=x", "\u{0}",
    ])
  func brokenFlatpak(text: String) throws {
    try folder.write(".flatpak-info", text)
    for app in ["com.contoso.mail", nil] {
      #expect(throws: SecretStoreError(.identityMismatch, "")) { try apps().identity(of: app) }
    }
  }

  @Test(
    "In a Flatpak the manifests state the registered schemes, since the desktop's database is not visible")
  func flatpakSchemes() throws {
    try folder.write(".flatpak-info", Self.flatpak)
    try folder.write(
      "applications/com.contoso.mail.desktop",
      "[Desktop Entry]\nType=Application\nExec=mail %u\nMimeType=x-scheme-handler/msauth.com.contoso.mail;\n")
    let mail = try AppIdentifier("com.contoso.mail")
    let handlers = try #require(apps().schemeHandlers())
    try RedirectURI(defaultFor: mail).requireRegistered(with: handlers)
    #expect(throws: SecretStoreError(.invalidRedirectURI, "")) {
      try RedirectURI("other.scheme://auth", for: mail).requireRegistered(with: handlers)
    }
    #expect(apps().catalog().manifests.flatMap(\.problems).isEmpty)
  }

  @Test("In a snap the kernel's label names the snap, and its metadata give the app ID")
  func snap() throws {
    try folder.write("proc/self/attr/current", "snap.contoso-mail.contoso-mail (enforce)\n\0")
    #expect(try apps().identity().app.name == "contoso-mail")
    try folder.write(
      "snap/contoso-mail/12/meta/snap.yaml",
      "name: contoso-mail\nbase: core24\napps:\n  contoso-mail:\n    common-id: com.contoso.mail\n")
    let inside = apps(["SNAP": "/snap/contoso-mail/12", "SNAP_INSTANCE_NAME": "contoso-mail"])
    #expect(try inside.identity().app.name == "com.contoso.mail")
    #expect(try inside.identity(of: "com.contoso.mail").source == .snap)
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try inside.identity(of: "com.fabrikam.spy") }
    #expect(inside.schemeHandlers() == nil)
  }

  @Test("AppArmor's own label file is read when another security module owns the common one")
  func stackedModules() throws {
    try folder.write("proc/self/attr/current", "unconfined_u:unconfined_r:unconfined_t:s0\n")
    try folder.write("proc/self/attr/apparmor/current", "snap.contoso-mail.contoso-mail (enforce)\n")
    #expect(try apps().identity().source == .snap)
  }

  @Test("Without the kernel's label the unit and the program name the snap")
  func snapByUnit() throws {
    try folder.write(
      "proc/self/cgroup",
      "\(Self.slice)/snap.contoso-mail.contoso-mail-6f9d1e1c-7e3b-4a5e-9a40-0f2f4a5b6c7d.scope\n"
    )
    try folder.link("proc/self/exe", to: "/snap/contoso-mail/12/bin/mail")
    #expect(try apps().identity().app.name == "contoso-mail")
  }

  @Test("A snap folder that snapd did not mount is not read")
  func otherFolder() throws {
    try folder.write("home/ada/meta/snap.yaml", "common-id: com.contoso.mail\n")
    try folder.write("proc/self/attr/current", "snap.other.other (enforce)")
    #expect(try apps(["SNAP": "/home/ada"]).identity().app.name == "other")
  }

  @Test("On a desktop a unit made for this process identifies the app")
  func unit() throws {
    try folder.write(
      "proc/self/cgroup",
      "\(Self.slice)/app-gnome-com.contoso.mail-\(getpid()).scope\n"
    )
    #expect(try apps().identity().app.name == "com.contoso.mail")
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try apps().identity(of: "com.fabrikam.spy") }
    #expect(apps().schemeHandlers() is DesktopSchemeHandlers)
  }

  @Test("Without other evidence the program identifies the app")
  func program() throws {
    try folder.link("proc/self/exe", to: "/opt/contoso/contoso-mail")
    #expect(try apps().identity().app.name == "contoso-mail")
    #expect(try apps().identity().source == .executable)
  }

  @Test("An app gets what its manifest states, under its own name or a derived one")
  func entitlements() throws {
    try folder.write(
      "applications/com.contoso.mail.desktop",
      "[Desktop Entry]\nType=Application\nX-KeychainPublisher=contoso\nX-KeychainAccessGroups=a;b\n"
    )
    let stated = try apps().entitlements(for: "com.contoso.mail")
    #expect(stated.keychainSharingGroup.qualifiedName == "contoso.a")
    try folder.write(".flatpak-info", Self.flatpak)
    #expect(try apps().entitlements() == stated)
    #expect(throws: SecretStoreError(.notEntitled, "")) {
      try apps().entitlements(for: "com.contoso.mail.more")
    }
    #expect(throws: SecretStoreError(.invalidArgument, "")) { try apps().entitlements(for: "com/contoso") }
  }

  @Test("This test process has no identity from a sandbox or a unit")
  func here() throws {
    #expect(try InstalledApps().identity(of: "com.contoso.mail").source == .app)
  }
}
