// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

/// Copies of the files that a Flatpak and a snap give a process.
@Suite("Sandbox check")
struct SandboxCheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func environment(_ variables: [String: String] = [:]) -> DiagnosticEnvironment {
    DiagnosticEnvironment(variables: variables, root: folder.path)
  }

  private func result(_ metadata: String) async throws -> CheckResult {
    try folder.write(".flatpak-info", "[Application]\nname=com.contoso.mail\n" + metadata)
    return await SandboxCheck(environment: environment()).run()
  }

  @Test("Outside a sandbox no permission is missing")
  func none() async {
    let check = SandboxCheck(environment: environment())
    #expect(await check.run().status == .ok)
    #expect(check.permissionRemedy == nil)
  }

  @Test(
    "A Flatpak without access to the Secret Service gets the missing permission",
    arguments: [
      "", "[Session Bus Policy]\norg.freedesktop.secrets=see\n", "[Context]\nsockets=wayland;\n",
      "[Session Bus Policy]\norg.freedesktop.Notifications=talk\n",
      "[Session Bus Policy]\norg.freedesktop.secrets.other=talk\n",
      "[Session Bus Policy]\norg.freedesktop.secret.*=talk\n",
      "[Session Bus Policy]\norg.freedesktop.secrets.*=see\n",
    ])
  func flatpakWithout(metadata: String) async throws {
    let found = try await result(metadata)
    #expect(found.status == .error && found.code == .serviceUnavailable)
    #expect(
      found.remedy == "flatpak override --user --talk-name=org.freedesktop.secrets com.contoso.mail")
  }

  @Test(
    "A Flatpak with access to the Secret Service passes",
    arguments: [
      "[Session Bus Policy]\norg.freedesktop.secrets=talk\n",
      "[Session Bus Policy]\norg.freedesktop.*=talk\n",
      "[Session Bus Policy]\norg.freedesktop.secrets.*=talk\n", "[Session Bus Policy]\norg.*=own\n",
      "[Session Bus Policy]\norg.freedesktop.secrets=own\n", "[Context]\nsockets=wayland;session-bus;\n",
    ])
  func flatpakWith(metadata: String) async throws { #expect(try await result(metadata).status == .ok) }

  @Test(
    "A Flatpak without the mounted lock folder shares no locks, whatever its permissions",
    arguments: [
      ("", "flatpak override"), ("home;", "flatpak override"),
      ("xdg-run/secret-store-cache;", "flatpak override"),
      ("xdg-run/secret-store-cache:ro;", "flatpak override"),
      ("/run/user/1000/secret-store-cache;", "flatpak override"),
      ("xdg-run/secret-store-cache:create;", "Start it anew"),
    ])
  func flatpakLocks(filesystems: String, remedy: String) throws {
    try folder.write(
      ".flatpak-info", "[Application]\nname=com.contoso.mail\n[Context]\nfilesystems=\(filesystems)\n")
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
    let found = RuntimeDirectoryCheck(environment: environment(["XDG_RUNTIME_DIR": runtime])).run()
    #expect(found.status == .warning)
    #expect(found.remedy.hasPrefix(remedy))
  }

  @Test("Checks of the lock folder at one time don't disturb each other")
  func concurrentLockFolderChecks() async throws {
    try folder.makeFolder(of: "run/x")
    let runtime = "\(folder.path)/run"
    #expect(unsafe chmod(runtime, 0o700) == 0)
    let check = RuntimeDirectoryCheck(environment: environment(["XDG_RUNTIME_DIR": runtime]))
    let failed = await withTaskGroup(of: CheckResult.self) { checks in
      for _ in 0..<200 { checks.addTask { check.run() } }
      return await checks.filter { $0.status == .error }.reduce(into: []) { $0.append($1.detail) }
    }
    #expect(failed == [])
  }

  @Test("A snap with a disconnected plug gets the name of the plug")
  func snap() async throws {
    try folder.write("proc/self/attr/current", "snap.contoso-mail.contoso-mail (enforce)\n\0")
    let environment = environment(["SNAP_INSTANCE_NAME": "contoso-mail_work"])
    let found = await SandboxCheck(environment: environment).run()
    #expect(found.status == .error)
    #expect(found.remedy == "sudo snap connect contoso-mail_work:password-manager-service")
    #expect(RuntimeDirectoryCheck(environment: environment).run().status == .warning)
  }
}
