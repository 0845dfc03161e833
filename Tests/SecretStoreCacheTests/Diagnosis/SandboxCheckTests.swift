// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

/// Copies of the files that a Flatpak and a snap give a process.
@Suite("Which permission a sandbox lacks")
struct SandboxCheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func surroundings(_ environment: [String: String] = [:]) -> Surroundings {
    Surroundings(environment: environment, root: folder.path)
  }

  private func finding(_ metadata: String) async throws -> Finding {
    try folder.write(".flatpak-info", "[Application]\nname=com.contoso.mail\n" + metadata)
    return await SandboxCheck(surroundings: surroundings()).find()
  }

  @Test("Outside of sandboxes nothing is lacking")
  func none() async {
    let check = SandboxCheck(surroundings: surroundings())
    #expect(await check.find().status == .ok)
    #expect(check.permissionRemedy == nil)
  }

  @Test(
    "A Flatpak that may not talk to the Secret Service is told the permission",
    arguments: [
      "", "[Session Bus Policy]\norg.freedesktop.secrets=see\n", "[Context]\nsockets=wayland;\n",
      "[Session Bus Policy]\norg.freedesktop.Notifications=talk\n",
    ])
  func flatpakWithout(metadata: String) async throws {
    let found = try await finding(metadata)
    #expect(found.status == .error && found.code == .serviceUnavailable)
    #expect(
      found.remedy == "flatpak override --user --talk-name=org.freedesktop.secrets com.contoso.mail")
  }

  @Test(
    "A Flatpak that may is well",
    arguments: [
      "[Session Bus Policy]\norg.freedesktop.secrets=talk\n",
      "[Session Bus Policy]\norg.freedesktop.*=talk\n",
      "[Session Bus Policy]\norg.freedesktop.secrets=own\n", "[Context]\nsockets=wayland;session-bus;\n",
    ])
  func flatpakWith(metadata: String) async throws { #expect(try await finding(metadata).status == .ok) }

  @Test(
    "A Flatpak's lock files meet nobody's unless it shares their folder",
    arguments: [
      ("", Diagnosis.Status.warning), ("home;", .warning), ("xdg-run/secret-store-cache:ro;", .warning),
      ("xdg-run/secret-store-cache:create;", .ok), ("xdg-run;", .ok),
    ])
  func flatpakLocks(filesystems: String, status: Diagnosis.Status) throws {
    try folder.write(
      ".flatpak-info", "[Application]\nname=com.contoso.mail\n[Context]\nfilesystems=\(filesystems)\n")
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
    let found = RuntimeDirectoryCheck(surroundings: surroundings(["XDG_RUNTIME_DIR": runtime])).find()
    #expect(found.status == status)
    #expect((found.remedy.hasPrefix("flatpak override ")) == (status == .warning))
  }

  @Test("A snap whose plug is not connected is told the plug")
  func snap() async throws {
    try folder.write("proc/self/attr/current", "snap.contoso-mail.contoso-mail (enforce)\n\0")
    let surroundings = surroundings(["SNAP_INSTANCE_NAME": "contoso-mail_work"])
    let found = await SandboxCheck(surroundings: surroundings).find()
    #expect(found.status == .error)
    #expect(found.remedy == "sudo snap connect contoso-mail_work:password-manager-service")
    #expect(RuntimeDirectoryCheck(surroundings: surroundings).find().status == .warning)
  }
}
